import type { ErrorCode } from '../../errors.ts'

/** Whose call it was where no key says so, and which token it was about. A video stands for its account. */
export interface About {
  accountId?: string
  videoId?: string
  /** `jti`, never the token. */
  tokenId?: string
}

/** What is read of a call; the transport's own `Call` has it. */
export interface SeenCall {
  method: string
  /** As asked for, without the query. */
  path: string
  /** The part after `?`, undecoded. */
  search: string
  params: Record<string, string>
  requestId: string
  /** By `performance.now()`. */
  startedAt: number
  header(name: string): string | undefined
  /** The caller's network address. */
  address(): string
  key?: { id: string; accountId: string }
}

/** What is read of the answer. */
export interface SeenReply {
  status: number
  headers: Record<string, string>
  /** Set where it is an error. */
  error?: { code: ErrorCode; message: string; extras: { details?: unknown } }
  about?: About
}

/** What is read of an endpoint's contract. */
export interface SeenOperation {
  operationId: string
  auth: 'key' | 'none'
  errors: readonly ErrorCode[]
}
