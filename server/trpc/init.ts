import '../platform/text/schema-messages.ts'
import { initTRPC, TRPCError } from '@trpc/server'
import { type TRPC_ERROR_CODE_KEY, TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc'
import superjson from 'superjson'
import { ZodError } from 'zod'
import { type AccountCtx, refuseInOwnerView } from '../context.ts'
import { asServiceError, ERRORS, type ErrorCode, isServiceError, OTHER_ORIGIN, ServiceError, secondFactorMissing } from '../errors.ts'
import { MEMBERS } from '../modules/identity/sessions/session.ts'
import type { ClientInfo } from '../modules/identity/sign-in/client-ip.ts'
import { log } from '../platform/observe/log.ts'
import { newId } from '../platform/secrets/crypto.ts'
import { inTurn, withBody } from '../platform/turns/request-turns.ts'

/** Context of every procedure. */
export interface DashboardContext {
  visitor: ClientInfo
  requestId: string
  /** Undefined if the caller is not signed in. */
  session: AccountCtx | undefined
  /** The session as the user's own, even while they view another account as its owner. For staff procedures. */
  ownSession?: AccountCtx | undefined
  /** The account requires a second factor that the signed-in user lacks. Only `personProcedure` then allows the call. */
  owesSecondFactor?: boolean
  /** Whether the request came from a page of this service (or from no page at all). */
  sameOrigin: boolean
  /** The account that the calling page says it shows; another tab may have switched to another. */
  shownAccount?: string | undefined
  /** Adds a `Set-Cookie` header to the response. */
  setCookie?: (cookie: string) => void
}

/** What the browser receives about an error, besides its message. */
export interface ErrorData {
  code: ErrorCode
  status: number
  /** The same status where tRPC reads it. tRPC has one number for all server errors, and without this returns 500 for each. */
  httpStatus: number
  requestId: string
  details?: unknown
  retryAfter?: number
}

/** Returns which fields are invalid, in the form that REST uses as well. */
const fieldProblems = (error: ZodError) => error.issues.map(({ path, message }) => ({ in: 'body', path: path.join('.'), message }))

/** Converts any error of a procedure to one of the table. Recognizes tRPC's own (unknown procedure, wrong method) by their code. */
function serviceErrorOf(error: TRPCError): ServiceError {
  if (isServiceError(error.cause)) return error.cause
  if (error.cause instanceof ZodError) return new ServiceError('INVALID_REQUEST', { details: fieldProblems(error.cause) })
  if (error.code === 'BAD_REQUEST' || error.code === 'PARSE_ERROR') return new ServiceError('INVALID_REQUEST')
  if (error.code === 'NOT_FOUND' && !error.cause) return new ServiceError('NOT_FOUND')
  if (error.code === 'METHOD_NOT_SUPPORTED') return new ServiceError('METHOD_NOT_ALLOWED')
  if (error.code === 'UNSUPPORTED_MEDIA_TYPE') return new ServiceError('UNSUPPORTED_MEDIA_TYPE')
  return asServiceError(error.cause ?? error)
}

const t = initTRPC.context<DashboardContext>().create({
  transformer: superjson,
  sse: { ping: { enabled: true, intervalMs: 15_000 }, client: { reconnectAfterInactivityMs: 40_000 } },
  errorFormatter: ({ shape, error, ctx }) => ({ ...shape, ...shapeOf(serviceErrorOf(error), ctx?.requestId ?? '') }),
})

/** Returns what the browser receives about an error: the table's message, or the error's own, but never a library's. */
function shapeOf(known: ServiceError, requestId: string): { message: string; data: ErrorData } {
  const { details, retryAfter } = known.extras
  const { status } = ERRORS[known.code]
  return { message: known.message, data: { code: known.code, status, httpStatus: status, requestId, details, retryAfter } }
}

/** tRPC's name for each status, so that the HTTP status is the table's. */
const NAME_OF_STATUS: Record<number, TRPC_ERROR_CODE_KEY> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_SUPPORTED',
  409: 'CONFLICT',
  412: 'PRECONDITION_FAILED',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  429: 'TOO_MANY_REQUESTS',
  500: 'INTERNAL_SERVER_ERROR',
  503: 'SERVICE_UNAVAILABLE',
  // tRPC has no name for it; `data.status` is 507.
  507: 'SERVICE_UNAVAILABLE',
}

/** The one place that maps errors and logs unexpected ones. */
const mapErrors = t.middleware(async ({ ctx, next, path, signal }) => {
  const result = await next()
  if (result.ok) return result
  const hasLeft = signal?.aborted && result.error.cause === signal.reason
  const known = hasLeft ? new ServiceError('REQUEST_TIMEOUT') : serviceErrorOf(result.error)
  if (known.code === 'INTERNAL_ERROR')
    log().error({ err: result.error.cause ?? result.error, requestId: ctx.requestId, path }, 'unexpected error')
  throw new TRPCError({ code: NAME_OF_STATUS[ERRORS[known.code].status] ?? 'INTERNAL_SERVER_ERROR', message: known.message, cause: known })
})

/** Browsers attach cookies to any request to this service, so a request that changes something must come from its own pages. */
const ownPagesOnly = t.middleware(({ ctx, next, type }) => {
  if (type === 'mutation' && !ctx.sameOrigin) throw new ServiceError('FORBIDDEN', { message: OTHER_ORIGIN })
  return next()
})

/** The one change that a view as owner allows: ending it. */
const ENDS_OWNER_VIEW = 'support.endOwnerView'

/** Refuses every change by a session that views an account as its owner, whatever the procedure. */
const readOnlyInOwnerView = t.middleware(({ ctx, next, type, path }) => {
  if (type === 'mutation' && path !== ENDS_OWNER_VIEW) refuseInOwnerView(ctx.session)
  return next()
})

export const router = t.router

/** Returns the response to a request that is refused before it reaches a procedure, in the form that the client reads. */
export function refusalOf(code: ErrorCode): Response {
  const { status } = ERRORS[code]
  const name = NAME_OF_STATUS[status] ?? 'INTERNAL_SERVER_ERROR'
  const error = { code: TRPC_ERROR_CODES_BY_KEY[name], ...shapeOf(new ServiceError(code), newId('req')) }
  return Response.json({ error: superjson.serialize(error) }, { status })
}

/** For any caller. */
export const openProcedure = t.procedure.use(mapErrors).use(ownPagesOnly).use(readOnlyInOwnerView)

/**
 * For signed-in users, about themselves only, even while the account still requires a second factor from them. Use cases receive
 * `ctx.account`.
 */
export const personProcedure = openProcedure.use(async ({ ctx, next, type, path, getRawInput, signal: left }) => {
  const { session } = ctx
  if (!session) throw new ServiceError('UNAUTHENTICATED')
  if (ctx.shownAccount && ctx.shownAccount !== session.accountId) {
    const message = 'You switched to another account in another tab, so your changes were not saved. Reload this page.'
    throw new ServiceError('CONFLICT', { message, details: { reason: 'account' } })
  }
  const run = () => next({ ctx: { account: { ...session, requestId: ctx.requestId } } })
  // A stream waits most of its life.
  if (type === 'subscription') return run()
  const holdsBody = TAKES_FILE.test(path)
  const runInTurn = async () => inTurn(type === 'mutation' ? changedBy(path, await getRawInput()) : undefined, run, { left, holdsBody })
  return holdsBody ? withBody(runInTurn, left) : runInTurn()
})

const TAKES_FILE = /^(?:video\.(?:uploadPoster|putCaptions)|captions\.saveDraft)$/

/** Returns the ID of what a call changes, or the name of a procedure that creates something. */
function changedBy(path: string, input: unknown): string {
  const id = Object.entries(input ?? {}).find(([name, value]) => name.endsWith('Id') && typeof value === 'string')
  return id ? String(id[1]) : path
}

/** Rejects a session without the second factor that its account requires. */
export const withSecondFactor = t.middleware(({ ctx, next }) => {
  if (ctx.owesSecondFactor) throw secondFactorMissing(MEMBERS)
  return next()
})

/** For signed-in users. Use cases receive `ctx.account`. */
export const procedure = personProcedure.use(withSecondFactor)
