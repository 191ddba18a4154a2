import type { FailureCode } from './failure-schema.ts'

const AGAIN = 'Check that the server is reachable, then import the file again.'

/** What the owner can do after each failure, and for imports where it differs. Null if the reason already says so. */
const ADVICE: Record<FailureCode, string | null | { upload: string | null; import: string }> = {
  CANCELLED: null,
  EXPIRED: { upload: 'Create another upload, and send the file before the upload expires.', import: AGAIN },
  EMPTY_FILE: { upload: 'Check the file, then upload it again.', import: 'Check the file at its source, then import it again.' },
  NOT_A_VIDEO: { upload: null, import: 'The URL may lead to a web page, such as a sign-in page. Use the URL of the file itself.' },
  NOT_FOUND: 'Check the URL, then import the file again.',
  ACCESS_DENIED: 'Import it again with a URL that stays signed for longer, or make the file readable.',
  TOO_LARGE: 'Import a smaller file, or raise maxBytes if your program sets it.',
  ADDRESS_REFUSED: 'Use a public https URL. The operator of this service can allow other hosts.',
  TOO_MANY_REDIRECTS: 'Use the URL that the redirects lead to.',
  NAME_NOT_RESOLVED: 'Check the host name in the URL, then import the file again.',
  CERTIFICATE: 'Renew the certificate of the server, or use another URL.',
  CONNECTION_FAILED: AGAIN,
  TIMED_OUT: AGAIN,
  SERVER_ERROR: AGAIN,
  TRUNCATED: AGAIN,
  SOURCE_CHANGED: 'Wait until the file at the source is complete, then import it again.',
  ENCODED: 'Turn off compression for this file at its server or CDN, then import it again.',
  UNEXPECTED_RESPONSE: 'Open the URL in a browser. It must download the file without further steps.',
  LIMIT_REACHED: 'Delete videos or cancel other uploads to free storage, then import the file again.',
  VIDEO_UNAVAILABLE: 'Restore the video, then replace its source again.',
  SUPERSEDED: null,
  TRANSCODING_FAILED: 'Open the video to see why.',
}

/** Returns what the owner of an upload or an import can do after a failure. Null if there is nothing left to say. */
export function failureAdvice(code: string, isImport: boolean): string | null {
  const advice = ADVICE[code as FailureCode] ?? null
  return typeof advice === 'object' ? (advice?.[isImport ? 'import' : 'upload'] ?? null) : advice
}
