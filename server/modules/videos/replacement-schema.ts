/** Codes of uploads whose file was received but did not replace its video's source, and the sentence that explains each. */
export const REPLACEMENT_FAILURES = {
  VIDEO_UNAVAILABLE: 'The video was deleted or taken down before we replaced its source.',
  SUPERSEDED: 'We received another file for this video before transcoding this one.',
  CANCELLED: 'The replacement of the source was cancelled.',
  TRANSCODING_FAILED: 'We could not transcode the file.',
} as const

export type ReplacementFailureCode = keyof typeof REPLACEMENT_FAILURES
