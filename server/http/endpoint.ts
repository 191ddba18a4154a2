import '../platform/text/schema-messages.ts'
import { z } from 'zod'
import type { AccountCtx } from '../context.ts'
import { asPlaybackError, asServiceError, type ErrorCode, ServiceError, scopeMissing } from '../errors.ts'
import { authenticate } from '../modules/access/keys/authenticate.ts'
import { requireAllowedAddress } from '../modules/access/keys/ip-ranges.ts'
import type { AuthenticatedKey } from '../modules/access/keys/look-up.ts'
import { trafficCollector } from '../modules/analytics/requests/collector.ts'
import type { RequestSubject } from '../modules/analytics/requests/observed-call.ts'
import { notifications } from '../platform/database/notifications.ts'
import { andThen, type MaybePromise, recover } from '../platform/maybe-promise.ts'
import { etagOf, matchesEtag } from '../platform/network/etag.ts'
import { log } from '../platform/observe/log.ts'
import { noteAccount } from '../platform/turns/caller.ts'
import { inTurn, withBody } from '../platform/turns/request-turns.ts'
import type { Scope } from '../scopes.ts'
import { readJson, readOptional } from './json-body.ts'
import { parseInput } from './parse-input.ts'
import { readQuery } from './read-query.ts'
import { renderInSlices } from './render-slices.ts'
import { type Call, errorReply, JSON_TYPE, type Reply, readsBody, refuseLargeBody, sendsBody } from './reply.ts'
import { type FileContract, readFile } from './request-file.ts'

/** Result of `run`: `data` to wrap in the envelope, or a complete body rendered earlier. */
export interface Answer<Data> {
  data?: Data
  /** The complete body, already rendered: the envelope, or for a `bare` endpoint the body without it. */
  json?: string | Uint8Array
  /** The same as a stream of `bytes`, opened only when sent. Requires `etag`. */
  stream?: { bytes: number; read(): AsyncIterable<Uint8Array> }
  /** Strong validator, quoted, if already known. A matching `If-None-Match` receives 304. */
  etag?: string
  /** Siblings of `data` in the envelope. */
  extra?: Record<string, unknown>
  headers?: Record<string, string>
  /** The call's account if no key identifies it, and the token it was about. */
  about?: RequestSubject
}

interface Shape<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Data extends z.ZodType,
  Headers extends z.ZodObject,
  Body extends z.ZodType,
> {
  /** Unique name, also of the generated client's method. */
  operationId: string
  /** The group that it is listed in (server/http/openapi/openapi.ts). */
  tag: Tag
  summary: string
  description?: string
  /** Not in the specification. */
  additive?: true
  params: Params
  query?: Query
  /** Request headers that it reads, in their usual spelling. */
  headers?: Headers
  /** Schema of the JSON body. A request without one counts as `{}`. */
  body?: Body
  /** Whether most requests have no body: then none is read, and an empty object of any type is accepted as well. */
  optionalBody?: true
  /** The file that it expects as its body, which `input.file` holds. */
  file?: FileContract
  /** Status of success. Defaults to 200. */
  status?: 201 | 202
  /** Schema of `data`, or of the complete body if `bare`. */
  response: Data
  /** Schema of the siblings of `data` in the envelope. */
  extra?: z.ZodObject
  /** Whether the body is `response` without the envelope. */
  bare?: true
  /** Whether responses carry a validator, and a matching one receives 304. `changed`: the validator of the changed video. */
  etag?: true | 'changed'
  /** Codes besides those of authentication. */
  errors: readonly ErrorCode[]
  /** Whether it needs no turn among the requests of accounts: it reads memory, is grouped with others, or takes its own turns. */
  ownTurns?: true
  /** Whether the request log leaves out successful calls. */
  unlogged?: true
  /** Whether its responses carry `X-RateLimit-*` (specification §8). */
  rateLimited?: true
  /** Whether a browser on any origin may call it. */
  cors?: true
}

export interface Input<Params, Query, Headers, Body> {
  params: Params
  query: Query
  headers: Headers
  body: Body
  /** The body of an operation that declares a file, otherwise empty. */
  file: Buffer
}

/** Groups of operations in the description. */
export type Tag = 'Videos' | 'Collections' | 'Uploads' | 'Playback' | 'Viewers' | 'Analytics' | 'Billing' | 'Events' | 'Description'

type Zo = z.ZodObject
type Zt = z.ZodType
type Run<Ctx, P extends Zo, Q extends Zo, D extends Zt, H extends Zo, B extends Zt> = (
  ctx: Ctx,
  input: Input<z.output<P>, z.output<Q>, z.output<H>, z.output<B>>,
) => MaybePromise<Answer<z.output<D>>>

type KeyContract<P extends Zo, Q extends Zo, D extends Zt, H extends Zo, B extends Zt> = Shape<P, Q, D, H, B> & {
  auth: 'key'
  scope: Scope
  run: Run<AccountCtx, P, Q, D, H, B>
}

type OpenContract<P extends Zo, Q extends Zo, D extends Zt, H extends Zo, B extends Zt> = Shape<P, Q, D, H, B> & {
  auth: 'none'
  run: Run<{ requestId: string; method: string }, P, Q, D, H, B>
}

export type Contract<P extends Zo = Zo, Q extends Zo = Zo, D extends Zt = Zt, H extends Zo = Zo, B extends Zt = Zt> =
  | KeyContract<P, Q, D, H, B>
  | OpenContract<P, Q, D, H, B>

/** A contract and the function that runs it. `answer` never throws. */
export interface Endpoint {
  contract: Contract
  answer(call: Call): MaybePromise<Reply>
}

/**
 * Declares a public REST endpoint. The route file's folder determines its path, the contract everything else. Endpoints of the specification
 * ignore unknown parameters; the others refuse them, because a misspelled one would be without effect.
 */
export function endpoint<P extends Zo, Q extends Zo, D extends Zt, H extends Zo, B extends Zt>(
  contract: Contract<P, Q, D, H, B>,
): Endpoint {
  const { query } = contract
  const general = { ...contract, ...(contract.additive && query && { query: query.strict() }) } as unknown as Contract
  return { contract: general, answer: (call) => answer(general, call) }
}

const CORS = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': 'X-Request-Id, Retry-After, ETag' }

function answer(contract: Contract, call: Call): MaybePromise<Reply> {
  const reply = recover(
    () => run(contract, call),
    (thrown) => failure(contract, call, thrown),
  )
  return andThen(reply, (made) => finish(contract, call, made))
}

function run(contract: Contract, call: Call): MaybePromise<Reply> {
  refuseLargeBody(call, contract.file?.maxBytes)
  if (contract.auth === 'key') return andThen(authenticate(call.header('x-service-key')), (key) => runFor(contract, key, call))
  const ran = andThen(read(contract, call), (input) => contract.run({ requestId: call.requestId, method: call.method }, input))
  return andThen(ran, (answer) => success(contract, answer, call))
}

/**
 * Checks in the contract's order: key present, key valid (network allowed, account not suspended), scope, input. The use case does the
 * rest.
 */
function runFor(contract: Contract & { auth: 'key' }, key: AuthenticatedKey, call: Call): MaybePromise<Reply> {
  call.key = key
  noteAccount(key.accountId, key.id)
  if (key.networks) requireAllowedAddress(key.networks, call.address())
  if (key.suspended) throw new ServiceError('ACCOUNT_SUSPENDED')
  if (!key.scopes.includes(contract.scope)) throw scopeMissing(contract.scope)
  const actor = { kind: 'key', keyId: key.id, scopes: key.scopes, environment: key.environment } as const
  const ctx: AccountCtx = { accountId: key.accountId, actor, requestId: call.requestId }
  const serve = () =>
    andThen(read(contract, call), (input) =>
      contract.ownTurns
        ? contract.run(ctx, input)
        : inTurn(changedBy(contract, call), () => contract.run(ctx, input), { left: call.left(), holdsBody: contract.file !== undefined }),
    )
  const ran = contract.file ? withBody(serve, call.left()) : serve()
  if (contract.scope !== 'video:write') return andThen(ran, (answer) => success(contract, answer, call))
  return andThen(ran, async (answer) => {
    // The next request to this process finds the change.
    await notifications().caughtUp()
    return success(contract, answer, call)
  })
}

/** Returns the ID of what a call changes, the operation's name if it creates something, and undefined if it only reads. */
function changedBy({ operationId }: Contract, { method, params }: Call): string | undefined {
  return method === 'GET' || method === 'HEAD' ? undefined : (Object.values(params)[0] ?? operationId)
}

function failure(contract: Contract, call: Call, thrown: unknown): Reply {
  const error = contract.auth === 'none' || contract.rateLimited ? asPlaybackError(thrown) : asServiceError(thrown)
  // Any error outside the table is a defect and is logged.
  if (error !== thrown && error.code === 'INTERNAL_ERROR')
    log().error({ err: thrown, requestId: call.requestId, operation: contract.operationId }, 'unexpected error')
  return errorReply(error, call.requestId)
}

function finish(contract: Contract, call: Call, reply: Reply): Reply {
  reply.headers['X-Request-Id'] = call.requestId
  if (contract.cors) Object.assign(reply.headers, CORS)
  trafficCollector().record(contract, call, reply)
  log().debug({ requestId: call.requestId, operation: contract.operationId, keyId: call.key?.id, status: reply.status }, 'request')
  return reply
}

const NOTHING = {}
const NO_FILE = Buffer.alloc(0)

type Values = Record<string, unknown>

function read(contract: Contract, call: Call): MaybePromise<Input<Values, Values, Values, unknown>> {
  const params = parseInput(contract.params, call.params, 'path')
  const query = contract.query && call.search ? parseInput(contract.query, readQuery(call.search), 'query') : NOTHING
  const headers = contract.headers ? parseInput(contract.headers, sent(contract.headers, call), 'header') : NOTHING
  const input = { params, query, headers, body: undefined, file: NO_FILE }
  const { body, file } = contract
  if (file) return andThen(readFile(file, call), (bytes) => ({ ...input, file: bytes }))
  if (body && !contract.optionalBody) return andThen(readJson(call), (value) => ({ ...input, body: parseInput(body, value, 'body') }))
  if (!readsBody(call.method) || !sendsBody(call)) return body ? { ...input, body: parseInput(body, NOTHING, 'body') } : input
  return andThen(readOptional(call), (value) => ({ ...input, body: parseInput(body ?? NO_FIELDS, value, 'body') }))
}

/** Of an operation without a body: a caller that sends a field expects an effect. */
const NO_FIELDS = z.strictObject({})

const sent = (headers: z.ZodObject, call: Call) =>
  Object.fromEntries(Object.keys(headers.shape).map((name) => [name, call.header(name.toLowerCase())]))

/** Items of a list rendered at once. A longer list is rendered in slices. */
const SHORT_LIST = 20

function success(contract: Contract, answer: Answer<unknown>, call: Call): MaybePromise<Reply> {
  const { stream, data } = answer
  if (Array.isArray(data) && data.length > SHORT_LIST)
    return renderInSlices(data, answer.extra).then(({ json, etag }) => {
      const rendered = { ...answer, data: undefined, json, ...(contract.etag === true && { etag: answer.etag ?? etag }) }
      return success(contract, rendered, call)
    })
  const body = stream ? '' : (answer.json ?? JSON.stringify({ success: true, data: answer.data, ...answer.extra }))
  const isRead = contract.etag !== 'changed'
  const etag = answer.etag ?? (contract.etag === true && etagOf(body))
  const headers: Record<string, string> = { 'Cache-Control': etag && isRead ? 'private, no-cache' : 'no-store', ...answer.headers }
  if (etag) {
    headers.ETag = etag
    if (isRead && matchesEtag(call.header('if-none-match'), etag)) return { status: 304, headers, body: null, about: answer.about }
  }
  headers['Content-Type'] = JSON_TYPE
  const { status = 200 } = contract
  if (!stream) return { status, headers, body, about: answer.about }
  headers['Content-Length'] = String(stream.bytes)
  return { status, headers, body: stream.read(), about: answer.about }
}
