import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { db, query } from '../../../platform/database/database.ts'
import { send } from '../../../testing/client.ts'
import { testDatabase } from '../../../testing/database.ts'
import { startHttpServer } from '../../../testing/http-server.ts'
import { makeAccount, makeKey, makeVideo } from '../../../testing/make.ts'
import type { CreatedKey } from '../../access/keys/create-key.ts'
import { disableKey, revokeKey } from '../../access/keys/end-key.ts'
import { SERVICE } from '../../audit/content-access.ts'
import { signToken } from '../../delivery/tokens/token.ts'
import { pruneTraffic } from '../prune.ts'
import { trafficCollector } from './collector.ts'
import { explainRequest } from './explain.ts'
import { listRequests } from './list-requests.ts'

await testDatabase()
const base = await startHttpServer()
let owner: AccountCtx
let key: CreatedKey
let videoId: string
const now = () => Math.floor(Date.now() / 1000)

beforeAll(async () => {
  owner = await makeAccount()
  videoId = await makeVideo(owner)
})
beforeEach(async () => {
  key = await makeKey(owner)
})

/** Sends a request, writes the log, and returns the explanation of the request. */
async function explainedCall(
  path: string,
  { method = 'GET', value = key.value, headers = {}, body }: { method?: string; value?: string; headers?: object; body?: string } = {},
) {
  const sent = body === undefined ? {} : { body }
  const answer = await send(base + path, { method, headers: { ...(value ? { 'x-service-key': value } : {}), ...headers }, ...sent })
  await trafficCollector().flush()
  return explainRequest(owner, { requestId: answer.headers['x-request-id'] as string })
}

const outcomes = ({ checks }: { checks: { check: string; outcome: string }[] }) =>
  Object.fromEntries(checks.map(({ check, outcome }) => [check, outcome]))
const TOKEN_CHECKS = ['route', 'key', 'scope', 'input', 'ownership', 'state', 'quota']

describe('explainRequest', () => {
  const issue = (id: string) => `/v1/video/${id}/playback-token`
  const failing = async (code: string, path: string, how?: Parameters<typeof explainedCall>[1]) => {
    const explained = await explainedCall(path, how)
    expect(explained.error?.code).toBe(code)
    expect(explained.error?.cause).toBeTruthy()
    expect(explained.error?.fix).toBeTruthy()
    return explained
  }

  it('returns all checks as passed, in order, for a success', async () => {
    const explained = await explainedCall(issue(videoId), {
      method: 'POST',
      headers: { 'user-agent': 'shop/1.0', accept: 'application/json', 'idempotency-key': 'order-7', cookie: 'a=b' },
    })
    expect(explained.requestHeaders).toEqual({ accept: 'application/json', 'idempotency-key': '(sent)' })
    expect(explained.checks).toEqual(TOKEN_CHECKS.map((check) => ({ check, outcome: 'passed' })))
    expect(explained).toMatchObject({
      status: 200,
      code: null,
      error: null,
      userAgent: 'shop/1.0',
      address: '127.0.0.1',
      operation: 'createPlaybackToken',
      weight: 1,
    })
    expect(explained.key).toMatchObject({ id: key.id, prefix: key.value.slice(0, 12), state: 'ACTIVE' })
    expect(explained.responseHeaders).toMatchObject({ 'X-RateLimit-Limit': '1000', 'X-RateLimit-Remaining': '999' })
    expect(explained.tokenId).toMatch(/^tok_/)
    expect(explained.durationMs).toBeGreaterThan(0)
  })

  it('returns the bodies of calls with a test key for a day, without secrets, and not to support', async () => {
    const { value } = await makeKey(owner, { environment: 'TEST', scopes: ['video:read', 'video:write'] })
    const body = JSON.stringify({ title: `For ${value}` })
    const edit = { method: 'PATCH', headers: { 'content-type': 'application/json' }, body }
    expect((await explainedCall(`/v1/video/${videoId}`, edit)).bodies).toBeNull()
    const edited = await explainedCall(`/v1/video/${videoId}`, { ...edit, value })
    expect(edited.bodies).toEqual({
      request: '{\n  "title": "For ak_test_…"\n}',
      response: expect.stringContaining('"title": "For ak_test_…"'),
    })
    const issued = await explainedCall(issue(videoId), { method: 'POST', value })
    expect(issued.bodies).toEqual({ request: null, response: expect.stringContaining('"token": "…"') })
    expect(issued.bodies?.response).toContain(`/embed/${videoId}?…"`)
    const support: AccountCtx = { ...owner, actor: { kind: 'support', userId: 'usr_staff', email: 'help@example.com' } }
    expect((await explainRequest(support, { requestId: issued.id })).bodies).toBeNull()
    const stored = async () => await query<{ id: string }>('', 'SELECT id FROM request_log WHERE bodies IS NOT NULL ORDER BY at', [])
    expect(await stored()).toEqual([{ id: edited.id }, { id: issued.id }])
    await query('', `UPDATE request_log SET at = at - interval '24 hours' WHERE id = $1`, [edited.id])
    expect((await explainRequest(owner, { requestId: edited.id })).bodies).toBeNull()
    await pruneTraffic()
    expect(await stored()).toEqual([{ id: issued.id }])
  })

  it('says that the video of a call was deleted since', async () => {
    const gone = await makeVideo(owner)
    const deletedAt = new Date('2026-11-01T00:00:00Z')
    await db().video.update({ where: { id: gone }, data: { deletedAt } })
    expect(await failing('VIDEO_NOT_FOUND', `/v1/video/${gone}`)).toMatchObject({ videoId: gone, videoDeletedAt: deletedAt })
  })

  it.each([
    ['scope', 'INSUFFICIENT_SCOPE', () => issue(videoId), () => db().apiKey.update({ where: { id: key.id }, data: { scopes: [] } })],
    ['ownership', 'VIDEO_NOT_FOUND', () => issue('vid_nobody'), () => {}],
    ['quota', 'RATE_LIMIT_EXCEEDED', () => issue(videoId), () => db().apiKey.update({ where: { id: key.id }, data: { dailyQuota: 0 } })],
  ] as const)('returns the failed check: %s', async (check, code, path, prepare) => {
    await prepare()
    const explained = await failing(code, path(), { method: 'POST' })
    const at = TOKEN_CHECKS.indexOf(check)
    expect(explained.checks).toEqual(
      TOKEN_CHECKS.map((name, position) => ({ check: name, outcome: position < at ? 'passed' : position === at ? 'failed' : 'unreached' })),
    )
  })

  it('returns the failed check: state', async () => {
    const waiting = await makeVideo(owner, { status: 'PROCESSING' })
    const explained = await failing('VIDEO_NOT_READY', issue(waiting), { method: 'POST' })
    expect(explained.error?.details).toEqual({ status: 'PROCESSING' })
    expect(outcomes(explained)).toMatchObject({ ownership: 'passed', state: 'failed', quota: 'unreached' })
  })

  it('returns the response’s message when it is not the default of its code', async () => {
    await db().account.update({ where: { id: owner.accountId }, data: { tier: 'PAID' } })
    await db().apiKey.update({ where: { id: key.id }, data: { dailyQuota: 0 } })
    const answer = await send(base + issue(videoId), { method: 'POST', headers: { 'x-service-key': key.value } })
    const { message } = JSON.parse(answer.body).error
    await trafficCollector().flush()
    const explained = await explainRequest(owner, { requestId: answer.headers['x-request-id'] as string })
    expect(explained.error?.message).toBe(message)
    await db().account.update({ where: { id: owner.accountId }, data: { tier: 'FREE' } })
  })

  it('returns the failed check: input, with its details', async () => {
    const explained = await failing('INVALID_REQUEST', '/v1/video?limit=many')
    expect(explained).toMatchObject({ query: 'limit=many', error: { details: [{ in: 'query', path: 'limit' }] } })
    expect(outcomes(explained)).toEqual({ route: 'passed', key: 'passed', scope: 'passed', input: 'failed' })
  })

  it('returns the failed check: route, for an unknown path and method with a key of the account', async () => {
    expect(await failing('NOT_FOUND', '/v1/videos')).toMatchObject({ path: '/v1/videos', operation: null, key: { id: key.id } })
    expect(await failing('METHOD_NOT_ALLOWED', `/v1/video/${videoId}`, { method: 'POST' })).toMatchObject({
      responseHeaders: { Allow: 'GET, PATCH, DELETE, HEAD, OPTIONS' },
    })
  })

  it('returns the failed check: key, for a revoked and a disabled one', async () => {
    await revokeKey(owner, { keyId: key.id })
    const revoked = await failing('INVALID_API_KEY', '/v1/video')
    expect(revoked.key).toMatchObject({ id: key.id, state: 'REVOKED' })
    expect(outcomes(revoked)).toEqual({ route: 'passed', key: 'failed', scope: 'unreached', input: 'unreached' })
    key = await makeKey(owner)
    await disableKey(owner, { keyId: key.id })
    expect((await failing('INVALID_API_KEY', '/v1/video')).key).toMatchObject({ state: 'DISABLED' })
  })

  it('returns the failed check: token, for an expired one found by its id', async () => {
    const token = signToken(SERVICE, { videoId, jti: 'tok_tooold', iat: now() - 4_000 })
    const explained = await failing('PLAYBACK_TOKEN_EXPIRED', `/v1/video/playback/manifest/${token}`, { value: '' })
    expect(explained).toMatchObject({ path: '/v1/video/playback/manifest/{token}', tokenId: 'tok_tooold', key: null })
    expect(outcomes(explained)).toEqual({
      route: 'passed',
      token: 'failed',
      input: 'unreached',
      ownership: 'unreached',
      state: 'unreached',
    })
    expect((await listRequests(owner, { limit: 10, search: 'tok_tooold' })).requests.map(({ id }) => id)).toEqual([explained.id])
  })
})
