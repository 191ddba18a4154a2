import type { ReplacementFailureCode } from '../videos/replacement-schema.ts'

/** What is wrong with a received file, by code. */
export const FILE_FAILURES = {
  EMPTY_FILE: 'This file is empty.',
  NOT_A_VIDEO: 'This file is not a video. MP4, MOV, MKV, WebM, AVI and other video files are accepted.',
} as const

/** Codes of imports that ended without a video, besides those of every upload, and the sentence that explains each. */
export const IMPORT_FAILURES = {
  NOT_FOUND: 'The server has no file at this URL (404 or 410).',
  ACCESS_DENIED: 'The server denied access (401 or 403). A signed URL may have expired.',
  TOO_LARGE: 'The file is larger than this import accepts.',
  ADDRESS_REFUSED: 'The URL, or a redirect from it, leads to an address that imports may not use.',
  TOO_MANY_REDIRECTS: 'The server redirected more than 5 times.',
  NAME_NOT_RESOLVED: 'The host name does not resolve.',
  CERTIFICATE: 'The TLS certificate of the server is not valid for this URL.',
  CONNECTION_FAILED: 'We could not connect to the server, or it closed the connection before responding.',
  TIMED_OUT: 'The server took too long to respond, or sent the file too slowly.',
  SERVER_ERROR: 'The server responded with an error (408, 425, 429 or 5xx).',
  TRUNCATED: 'The server closed the connection before sending the whole file.',
  SOURCE_CHANGED: 'The file at this URL changed while it was imported.',
  ENCODED: 'The server compressed the file (gzip, for example), although we asked for it uncompressed.',
  UNEXPECTED_RESPONSE: 'The server did not respond with a file.',
  LIMIT_REACHED: 'The account or the service reached a storage limit.',
} as const

export type ImportFailureCode = keyof typeof IMPORT_FAILURES

/** Failures after which the import is retried later. The others end it. */
export const RETRIED = [
  'NAME_NOT_RESOLVED',
  'CONNECTION_FAILED',
  'TIMED_OUT',
  'SERVER_ERROR',
  'TRUNCATED',
  'SOURCE_CHANGED',
  'LIMIT_REACHED',
] as const satisfies readonly ImportFailureCode[]

/** Runs without progress before an import fails. With the delays between them, about ten minutes. */
export const MAX_ATTEMPTS = 8

export type FailureCode = 'CANCELLED' | 'EXPIRED' | ReplacementFailureCode | keyof typeof FILE_FAILURES | ImportFailureCode
