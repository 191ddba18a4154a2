import { expect, it } from 'vitest'
import { trafficCollector } from '../../server/modules/analytics/requests/collector.ts'
import { db } from '../../server/platform/database/database.ts'
import { SCOPE_NAMES } from '../../server/scopes.ts'
import { testDatabase } from '../../server/testing/database.ts'
import { startHttpServer } from '../../server/testing/http-server.ts'
import { makeAccount, makeKey, makeVideo } from '../../server/testing/make.ts'

await testDatabase()
const baseUrl = await startHttpServer()

async function caller(environment: 'LIVE' | 'TEST' = 'LIVE') {
  const ctx = await makeAccount()
  const { value, id } = await makeKey(ctx, { scopes: [...SCOPE_NAMES], environment })
  const call = async (path: string, method = 'GET', headers: Record<string, string> = {}) => {
    const response = await fetch(baseUrl + path, { method, headers: { 'x-service-key': value, ...headers } })
    const body = (await response.json()) as { data?: never; error?: { code: string; message: string; details?: unknown } }
    return { status: response.status, headers: response.headers, ...body }
  }
  return { ctx, keyId: id, call }
}

it.each([
  ['/v1/videos', '/v1/video'],
  ['/v1/videos/', '/v1/video'],
  ['/v1/video/', '/v1/video'],
  ['/v1/videos/vid_x/playback-token', '/v1/video/vid_x/playback-token'],
  ['/v1/uploads', '/v1/upload'],
  ['/v1/events', '/v1/event'],
  ['/v1/viewers', '/v1/viewer'],
  ['/v1/viewers/ann', '/v1/viewer/{viewerId}'],
  ['/v1/viewer/class/ann/end/', '/v1/viewer/{viewerId}/end'],
])('%s is not found, and %s is named', async (path, didYouMean) => {
  const { call } = await caller()
  const { status, error } = await call(path)
  expect([status, error]).toMatchObject([404, { code: 'NOT_FOUND', details: { didYouMean }, message: expect.stringContaining(didYouMean) }])
})

it.each(['/v1/nothing', '/v1/videos/%3Cscript%3E', '/v1', '/v1/video/videos/more/parts'])(
  '%s is not found, without a proposal',
  async (path) => {
    const { error } = await (await caller()).call(path)
    expect(error).toMatchObject({ code: 'NOT_FOUND' })
    expect(error?.details).toBeUndefined()
  },
)

it('fixtures of errors carry the details of real ones', async () => {
  const { call } = await caller('TEST')
  expect((await call('/v1/video/vid_test_scope_missing')).error).toMatchObject({ details: { needs: 'video:read' } })
  expect((await call('/v1/video/vid_test_scope_missing', 'DELETE')).error).toMatchObject({ details: { needs: 'video:write' } })
  expect((await call('/v1/video/vid_test_ip_not_allowed')).error).toMatchObject({ details: { address: '192.0.2.1' } })
  expect((await call('/v1/video/vid_test_unavailable')).headers.get('Retry-After')).toBe('5')
})

it('a token of a FAILED video is refused without the advice to poll', async () => {
  const { call } = await caller('TEST')
  const failed = (await call('/v1/video/vid_test_failed/playback-token', 'POST')).error
  expect(failed).toMatchObject({ code: 'VIDEO_NOT_READY', details: { status: 'FAILED' } })
  expect(failed?.message).not.toMatch(/poll/i)
  expect((await call('/v1/video/vid_test_pending/playback-token', 'POST')).error?.message).toMatch(/poll/i)
})

it('an Idempotency-Key of a token is refused for another video, and a replay names itself', async () => {
  const { ctx, call } = await caller()
  const [one, other] = [await makeVideo(ctx), await makeVideo(ctx)]
  const issue = (videoId: string) => call(`/v1/video/${videoId}/playback-token`, 'POST', { 'Idempotency-Key': 'viewing-1' })
  const first = await issue(one)
  expect([first.status, first.headers.get('Idempotent-Replayed')]).toEqual([200, null])
  const again = await issue(one)
  expect([again.status, again.headers.get('Idempotent-Replayed')]).toEqual([200, 'true'])
  const refused = await issue(other)
  expect([refused.status, refused.error?.code]).toEqual([409, 'IDEMPOTENCY_KEY_REUSED'])
  // Neither the replay nor the refusal used the quota.
  expect(refused.headers.get('X-RateLimit-Remaining')).toBe(first.headers.get('X-RateLimit-Remaining'))
})

it('reads of the event stream are counted, and only refused ones are in the request log', async () => {
  const { ctx, call } = await caller()
  await call('/v1/event')
  await call('/v1/event?cursor=wrong')
  await call('/v1/video')
  await trafficCollector().flush()
  const log = await db().$queryRaw<{ entry: string }[]>`
    SELECT operation || ' ' || status AS entry FROM request_log WHERE account_id = ${ctx.accountId} ORDER BY 1`
  expect(log.map(({ entry }) => entry)).toEqual(['listEvents 400', 'listVideos 200'])
})
