import type { OutgoingHttpHeaders } from 'node:http'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { EVENT_TYPES } from '../events.ts'
import { JOBS } from '../jobs.ts'
import { revokeKey } from '../modules/access/keys/end-key.ts'
import { newKeyValue } from '../modules/access/keys/format.ts'
import { SERVICE } from '../modules/audit/content-access.ts'
import { signToken } from '../modules/delivery/tokens/token.ts'
import { encodeCursor } from '../platform/database/cursor.ts'
import { db } from '../platform/database/database.ts'
import { startQueue, stopQueue } from '../platform/job-queue.ts'
import { SCOPE_NAMES } from '../scopes.ts'
import { type ClientResponse, send } from '../testing/client.ts'
import { testDatabase } from '../testing/database.ts'
import { type Described, type Description, type HostileRequest, hostileRequest, type Known, targetOf } from '../testing/hostile-requests.ts'
import { startHttpServer } from '../testing/http-server.ts'
import { makeAccount, makeKey, makeVideo } from '../testing/make.ts'
import { rounds } from '../testing/media/rounds.ts'

const REQUESTS = rounds(3_000, 20_000, 600)

await testDatabase()
const baseUrl = await startHttpServer()

const description = JSON.parse((await send(`${baseUrl}/v1/openapi.json`)).body) as Description
const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
)

afterAll(stopQueue)

const known: Known = {}
const keys = { good: '', poor: '', test: '', others: [] as string[] }
beforeAll(async () => {
  await startQueue(JOBS)
  const owner = await makeAccount()
  const stranger = await makeAccount()
  const statuses = ['COMPLETED', 'COMPLETED', 'COMPLETED', 'PENDING', 'PROCESSING', 'FAILED'] as const
  const videos = await Promise.all(statuses.map((status) => makeVideo(owner, { status })))
  const deleted = await makeVideo(owner, { deletedAt: new Date() })
  const foreign = await makeVideo(stranger)
  const [good, poor, testing, narrow, revoked] = await Promise.all([
    makeKey(owner, { scopes: SCOPE_NAMES }),
    makeKey(owner, { scopes: SCOPE_NAMES }),
    makeKey(owner, { environment: 'TEST', scopes: SCOPE_NAMES }),
    makeKey(owner, { scopes: ['billing:read'] }),
    makeKey(owner),
  ])
  await db().apiKey.update({ where: { id: good.id }, data: { dailyQuota: 10_000_000 } })
  await db().apiKey.update({ where: { id: poor.id }, data: { dailyQuota: 1 } })
  await revokeKey(owner, { keyId: revoked.id })
  Object.assign(keys, {
    good: good.value,
    poor: poor.value,
    test: testing.value,
    others: [narrow.value, revoked.value, newKeyValue('LIVE')],
  })
  const iat = Math.floor(Date.now() / 1000)
  const token = (videoId: string, age = 0) => signToken(SERVICE, { videoId, jti: 'tok_1', iat: iat - age })
  known.videoId = [...videos, ...videos, ...videos, deleted, foreign, 'vid_test_completed', 'vid_test_pending', 'playback']
  // Requests delete them.
  const collections = Array.from({ length: 400 }, (_, at) => ({
    id: `col_fuzz${at}`,
    accountId: at === 0 ? stranger.accountId : owner.accountId,
    name: `Fuzz ${at}`,
  }))
  await db().collection.createMany({ data: collections })
  known.collectionId = collections.map(({ id }) => id)
  known.collection = known.collectionId
  known.createdAfter = ['2026-01-01', '2026-01-01T00:00:00.000Z']
  known.createdBefore = known.createdAfter
  known['If-None-Match'] = ['*']
  known['If-Match'] = ['*']
  known.language = ['en', 'de', 'pt-BR']
  known.expand = ['metadata', 'storage', 'metadata,processing,storage']
  known.eventType = EVENT_TYPES
  const upload = async () =>
    JSON.parse((await send(`${baseUrl}/v1/upload`, { method: 'POST', headers: { 'x-service-key': good.value } })).body)
  known.uploadId = [(await upload()).data.uploadId, (await upload()).data.uploadId, 'upl_0000000000000000000000']
  // An existing one, so that no case waits for another.
  await send(`${baseUrl}/v1/event/wallet.refilled/sample`, { method: 'POST', headers: { 'x-service-key': good.value } })
  known.token = [
    ...(await Promise.all(Array.from({ length: 12 }, () => token(videos[0] as string)))),
    await token(videos[3] as string),
    await token(deleted),
    await token(videos[1] as string, 400),
  ]
  const page = JSON.parse((await send(`${baseUrl}/v1/video?limit=2`, { headers: { 'x-service-key': good.value } })).body)
  known.cursor = [
    page.pagination.nextCursor,
    page.pagination.nextCursor,
    // Cursors of the events.
    '0.0',
    '0.0',
    ...['0000-01-01', '0001-01-01', '9999-12-31', '2026-02-30'].map((day) => encodeCursor([`${day}T00:00:00.000Z`, 'vid_a'])),
  ]
})

const request = fc.constantFrom(...operations).chain(({ path, method, operation }) => hostileRequest(path, method, operation, known))

function keyOf({ key, junk }: HostileRequest): string | string[] | undefined {
  if (key === 'none') return undefined
  if (key === 'other') return keys.others[junk.length % keys.others.length]
  if (key === 'twice') return [keys.good, keys.good]
  return key === 'junk' ? junk : keys[key]
}

const schemas = new Map<object, z.ZodType>()
/** Returns a schema of the description as a zod type that validates. */
function judge(schema: Record<string, unknown>): z.ZodType {
  let made = schemas.get(schema)
  if (!made) {
    const whole = JSON.stringify({ ...schema, $defs: description.components.schemas }).replaceAll('#/components/schemas/', '#/$defs/')
    made = z.fromJSONSchema(JSON.parse(whole))
    schemas.set(schema, made)
  }
  return made
}

const apiError = z.object({
  success: z.literal(false),
  error: judge({ $ref: '#/components/schemas/ApiError' }),
})

/** Texts of zod, in place of which the service has sentences of its own. */
const TEXTS_OF_ZOD = /Invalid (?:input|option|key|string|element)|Too (?:small|big)|Unrecognized key|expected (?:string|number|int|object)/

/** Checks a response against the description. Throws what differs. */
function check(asked: HostileRequest, { status, headers, body }: ClientResponse): void {
  expect(status).toBeLessThan(500)
  expect(headers['x-request-id']).toMatch(/^req_/)
  const methods = description.paths[asked.path] ?? {}
  const answering = asked.method === 'HEAD' ? 'get' : asked.method.toLowerCase()
  if (body !== '' || asked.method === 'HEAD') {
    if (status !== 304) expect(headers['content-type']).toBe('application/json')
    if (asked.method !== 'HEAD') expect(Number(headers['content-length'])).toBe(Buffer.byteLength(body))
  }
  if (asked.method === 'HEAD' || status === 304) expect(body).toBe('')
  const json = body === '' ? undefined : JSON.parse(body)
  if (json?.success === false) {
    expect(apiError.parse(json).error).toMatchObject({ status, requestId: headers['x-request-id'] })
    expect(body).not.toMatch(TEXTS_OF_ZOD)
  }
  // An empty segment, or one that begins another route, is another address.
  const elsewhere = Object.values(asked.segments).some((segment) => segment === '' || segment === 'playback')
  if (elsewhere && status === 404) return
  if (asked.method === 'OPTIONS') {
    expect([status, headers.allow]).toEqual([204, expect.stringContaining('OPTIONS')])
    return
  }
  if (!methods[answering] && status !== 413) {
    expect([status, json?.error.code]).toEqual([405, asked.method === 'HEAD' ? undefined : 'METHOD_NOT_ALLOWED'])
    expect(headers.allow).toContain(asked.declared)
    return
  }
  const described = (methods[answering] ?? methods[asked.declared.toLowerCase()])?.responses[status]
  expect(described, `status ${status} ${json?.error?.code}`).toBeDefined()
  const schema = described?.content?.['application/json']?.schema
  if (schema && asked.method !== 'HEAD') judge(schema).parse(json)
  for (const name of Object.keys(described?.headers ?? {})) {
    const text = headers[name.toLowerCase()]
    expect(text, name).toBeDefined()
    const { schema } = description.components.headers[name] as Described
    judge(schema).parse(schema.type === 'integer' ? Number(text) : text)
  }
}

test(`${REQUESTS} requests, valid and hostile: no 5xx, every response as described, many of them successful`, async () => {
  const statuses: Record<number, number> = {}
  await fc.assert(
    fc.asyncProperty(request, async (asked) => {
      const type = { 'content-type': asked.body === undefined ? undefined : asked.bodyType }
      const headers: OutgoingHttpHeaders = { ...type, ...asked.declaredHeaders, ...asked.moreHeaders, 'x-service-key': keyOf(asked) }
      for (const name of Object.keys(headers)) if (headers[name] === undefined) delete headers[name]
      const answer = await send(baseUrl + targetOf(asked), { method: asked.method, headers, body: asked.body })
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1
      check(asked, answer)
    }),
    { numRuns: REQUESTS },
  )
  const good = Object.entries(statuses).reduce((sum, [status, count]) => sum + (status.startsWith('2') ? count : 0), 0)
  console.info(`fuzz: ${REQUESTS} requests, ${Math.round((100 * good) / REQUESTS)} % 2xx, by status ${JSON.stringify(statuses)}`)
  expect(good / REQUESTS).toBeGreaterThan(0.1)
  // The others are rare among a few hundred requests.
  for (const status of [200, 400, 401, 404, 405, ...rounds<number[]>([], [304, 403, 409, 413, 429])])
    expect(statuses[status], `some ${status}`).toBeGreaterThan(0)
})
