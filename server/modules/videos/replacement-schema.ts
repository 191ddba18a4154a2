/** Codes of uploads whose file was received and did not replace the source of its video, and the sentence that explains each. */
export const REPLACEMENT_FAILURES = {
  VIDEO_UNAVAILABLE: 'The video was deleted or taken down before its source was replaced.',
  SUPERSEDED: 'Another file for this video was received before this one was transcoded.',
  CANCELLED: 'The replacement of the source was cancelled.',
  TRANSCODING_FAILED: 'The file could not be transcoded.',
} as const

export type ReplacementFailureCode = keyof typeof REPLACEMENT_FAILURES
