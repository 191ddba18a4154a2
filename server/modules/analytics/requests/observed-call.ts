import type { ErrorCode } from '../../../errors.ts'

/** The account of a request without a key, directly or through its video, and the request's token. */
export interface RequestSubject {
  accountId?: string
  videoId?: string
  /** `jti`, never the token. */
  tokenId?: string
  /** Reference of the viewer whom the token names. */
  viewerId?: string
}

/** The part of the transport's `Call` that the collector reads. */
export interface ObservedCall {
  method: string
  /** As requested, without the query. */
  path: string
  /** The part after `?`, undecoded. */
  search: string
  params: Record<string, string>
  requestId: string
  /** `performance.now()` at the start. */
  startedAt: number
  header(name: string): string | undefined
  /** The caller's network address. */
  address(): string
  key?: { id: string; accountId: string; environment: 'LIVE' | 'TEST' }
  /** The JSON body, once it was read. */
  sent?: Uint8Array
}

/** The part of the response that the collector reads. */
export interface ObservedReply {
  status: number
  headers: Record<string, string>
  /** One that is not streamed. */
  body?: unknown
  /** Set for an error. */
  error?: { code: ErrorCode; message: string; extras: { details?: unknown } }
  about?: RequestSubject
}

/** The part of an endpoint's contract that the collector reads. */
export interface ObservedOperation {
  operationId: string
  auth: 'key' | 'none'
  errors: readonly ErrorCode[]
  /** Whether successful calls are counted but not kept in the request log, because they repeat endlessly and say nothing. */
  unlogged?: true
}
