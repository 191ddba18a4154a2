import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, it, test } from 'vitest'
import type { AccountCtx } from '../../../server/context.ts'
import { trafficCollector } from '../../../server/modules/analytics/requests/collector.ts'
import { explainRequest } from '../../../server/modules/analytics/requests/explain.ts'
import { listRequests } from '../../../server/modules/analytics/requests/list-requests.ts'
import { SERVICE } from '../../../server/modules/audit/content-access.ts'
import { keyUrl } from '../../../server/modules/delivery/segments/key-url.ts'
import { endPlayback } from '../../../server/modules/delivery/sessions/ends.ts'
import { newTokenId, signToken } from '../../../server/modules/delivery/tokens/token.ts'
import { viewerReference } from '../../../server/modules/identity/viewers/reference.ts'
import { newContentKey, openContentKey, sealContentKey, streamKey } from '../../../server/modules/transcoding/encode/content-key.ts'
import { decryptSegment, encryptSegment } from '../../../server/modules/transcoding/encode/segment-store.ts'
import { db } from '../../../server/platform/database/database.ts'
import { send } from '../../../server/testing/client.ts'
import { stopClock } from '../../../server/testing/clock.ts'
import { testDatabase } from '../../../server/testing/database.ts'
import { dumpTables, tablesWith } from '../../../server/testing/dump.ts'
import { startHttpServer } from '../../../server/testing/http-server.ts'
import { makeAccount, makeKey, makeVideo } from '../../../server/testing/make.ts'
import { provide } from '../../../server/testing/settings.ts'

await testDatabase()
const put = await stopClock(undefined)
provide({ TRUST_PROXY: 'true' })
const baseUrl = await startHttpServer()
let owner: AccountCtx
let videoId: string
let key: string
beforeAll(async () => {
  owner = await makeAccount()
  key = (await makeKey(owner)).value
  videoId = await makeVideo(owner, { qualities: ['1080p', '480p'] })
  await db().media.update({ where: { id: videoId }, data: { contentKey: sealContentKey(newContentKey(), videoId) } })
  for (const [quality, width, height] of [['1080p', 1920, 1080] as const, ['480p', 854, 480] as const]) {
    const segments: [string, number][] = [[quality.padEnd(32, 'a').replace('p', 'b'), 4]]
    const rates = { bandwidth: 9, averageBandwidth: 9, codecs: 'avc1.64001f', frameRate: 30, bytes: 9n }
    await db().rendition.create({ data: { mediaId: videoId, quality, width, height, segments, ...rates } })
    const { frameRate: _, ...iframes } = rates
    await db().iframeRendition.create({ data: { mediaId: videoId, quality, width, height, segments, ...iframes } })
  }
})

/** In Switzerland, in Germany, and nowhere, by the included database. */
const [SWISS, GERMAN, NOWHERE] = ['130.59.31.80', '194.25.0.68', '10.1.2.3']

async function issue(body?: unknown, headers: Record<string, string> = {}) {
  const text = body === undefined ? undefined : JSON.stringify(body)
  const given = { 'x-service-key': key, ...(text !== undefined && { 'content-type': 'application/json' }), ...headers }
  const { status, body: answer } = await send(`${baseUrl}/v1/video/${videoId}/playback-token`, {
    method: 'POST',
    headers: given,
    body: text,
  })
  const { data, error } = JSON.parse(answer)
  return { status, token: data?.token as string, expiresIn: data?.expiresIn, error }
}
const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })
async function exchange(token: string, address: string) {
  const { status, body, headers } = await send(`${baseUrl}/v1/video/playback/manifest/${token}`, from(address))
  const { data, error } = JSON.parse(body)
  const requestId = headers['x-request-id'] as string
  return {
    status,
    requestId,
    url: data?.masterPlaylistUrl as string,
    qualities: data?.qualities,
    reason: error?.details?.reason,
    code: error?.code,
  }
}
async function read(url: string, address: string) {
  const { status, body } = await send(url, from(address))
  return { status, body, reason: status === 403 ? JSON.parse(body).error.details.reason : undefined }
}
const keyOf = (playlist: string) => /URI="([^"]+)"/.exec(playlist)?.[1] as string

test('a request without a body gets the token that it always got; so does one with an empty object of any type', async () => {
  const claims = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString())
  const names = ['videoId', 'jti', 'iss', 'aud', 'iat', 'exp']
  for (const given of [await issue(), await issue({}), await issue({}, { 'content-type': 'text/plain' })]) {
    expect([given.status, given.expiresIn, Object.keys(claims(given.token))]).toEqual([200, 300, names])
    expect(claims(given.token).exp - claims(given.token).iat).toBe(300)
  }
})

test.each([
  ['an unknown field', { viewerId: 'a' }, ''],
  ['a wrong value', { countries: ['Swiss'] }, 'countries.0'],
  ['a wrong type', { maxHeight: '720' }, 'maxHeight'],
  ['an unknown watermark', { viewer: { id: 'a', label: 'a' }, watermark: 'forensic' }, 'watermark'],
  ['a watermark without a label', { viewer: { id: 'a' }, watermark: 'visible' }, 'watermark'],
  ['a label without an id', { viewer: { label: 'a' } }, 'viewer.id'],
])('%s is refused by name, and uses no quota', async (_name, body, path) => {
  const { status, error } = await issue(body)
  expect([status, error.code, error.details[0].in, error.details[0].path]).toEqual([400, 'INVALID_REQUEST', 'body', path])
  expect(await db().keyDay.count({ where: { key: { accountId: owner.accountId } } })).toBeLessThanOrEqual(1)
})

describe.each([
  ['countries', { countries: ['CH'] }, SWISS, GERMAN, 'COUNTRY'],
  ['addresses', { addresses: ['130.59.0.0/16', '2001:db8::/32'] }, SWISS, GERMAN, 'ADDRESS'],
])('a session with %s', (_name, policy, inside, outside, reason) => {
  it('is opened, and its playlists and keys are read, from inside only', async () => {
    const { token } = await issue(policy)
    expect(await exchange(token, outside)).toMatchObject({ status: 403, code: 'PLAYBACK_NOT_ALLOWED', reason })
    expect(await exchange(token, NOWHERE)).toMatchObject({ status: 403, reason })
    const { status, url } = await exchange(token, inside)
    expect(status).toBe(200)
    expect((await read(url, `::ffff:${inside}`)).status).toBe(200)
    const media = await read(new URL('480p.m3u8', url).href, inside)
    expect((await read(keyOf(media.body), inside)).status).toBe(200)
    for (const address of [url, new URL('480p.m3u8', url).href, new URL('session.json', url).href, keyOf(media.body)])
      expect(await read(address, outside)).toMatchObject({ status: 403, reason })
  })
})

test('the account finds the refusal of an exchange in its request log', async () => {
  await exchange((await issue({ countries: ['CH'] })).token, GERMAN)
  await trafficCollector().flush()
  const found = await db().loggedRequest.findMany({ where: { accountId: owner.accountId, code: 'PLAYBACK_NOT_ALLOWED' } })
  expect(found.map((row) => [row.status, row.videoId])).toContainEqual([403, videoId])
})

describe('the request log', () => {
  const support: Partial<AccountCtx> = { actor: { kind: 'support', userId: 'usr_staff', email: 'help@example.com' } }
  /** Returns how the log explains the refusal of an exchange with this policy from this address. */
  async function explained(policy: object, address: string) {
    const { token } = await issue(policy)
    const { requestId } = await exchange(token, address)
    await trafficCollector().flush()
    return (as: Partial<AccountCtx> = {}) => explainRequest({ ...owner, ...as }, { requestId })
  }

  it('names the viewer whom a policy excludes, at their first attempt too, but not to support staff', async () => {
    const explain = await explained({ viewer: { id: 'student-42' }, countries: ['CH'] }, GERMAN)
    const reference = await viewerReference(owner.accountId, 'student-42')
    expect(await explain()).toMatchObject({
      viewer: { reference, id: 'student-42' },
      error: { details: { reason: 'COUNTRY', country: 'DE' } },
    })
    expect((await explain(support)).viewer).toEqual({ reference, id: null })
  })

  it('says which session was refused, until the viewer is erased', async () => {
    const policy = { viewer: { id: 'student-43' }, maxSessions: 2 }
    for (let session = 1; session <= 2; session++) await exchange((await issue(policy)).token, SWISS)
    const explain = await explained({ ...policy, maxSessions: 1 }, SWISS)
    expect((await explain()).error?.details).toEqual({ reason: 'SESSIONS', maxSessions: 1, sessions: 2 })
    expect((await explain()).viewer?.id).toBe('student-43')
    await db().viewer.delete({ where: { id: await viewerReference(owner.accountId, 'student-43') } })
    expect((await explain()).viewer).toBeNull()
  })

  it('says why a session that plays is refused: once a minute for each reason, without what opens the session', async () => {
    const { token } = await issue({ viewer: { id: 'student-45' }, countries: ['CH'], maxHeight: 480 })
    const { url } = await exchange(token, SWISS)
    const [low, high] = ['480p.m3u8', '1080p.m3u8'].map((file) => new URL(file, url).href) as [string, string]
    const key = keyOf((await read(low, SWISS)).body)
    const { jti: tokenId } = JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString())
    const logged = async () => {
      await trafficCollector().flush()
      const rows = await db().loggedRequest.findMany({ where: { tokenId, status: { gte: 400 } }, orderBy: { at: 'asc' } })
      return rows.map(({ path, query, details }) => `${path}${query} ${(details as { reason: string }).reason}`)
    }
    for (const address of [key, key, low, url]) expect((await read(address, GERMAN)).reason).toBe('COUNTRY')
    expect(await logged()).toEqual([`/cdn/keys/${videoId} COUNTRY`])
    for (const address of [high, high]) expect((await read(address, SWISS)).reason).toBe('HEIGHT')
    const height = `/cdn/hls/${videoId}/{permit}/1080p.m3u8 HEIGHT`
    expect((await logged()).slice(1)).toEqual([height])
    await put(new Date(Date.now() + 61_000))
    expect((await read(high, SWISS)).reason).toBe('HEIGHT')
    await endPlayback(owner, { tokenId })
    for (const _ of [1, 2]) expect((await read(low, SWISS)).status).toBe(401)
    await put(undefined)
    expect((await logged()).slice(2)).toEqual([height, `/cdn/hls/${videoId}/{permit}/480p.m3u8 PLAYBACK_ENDED`])

    const { requests } = await listRequests(owner, { limit: 1, outcome: 'PLAYBACK_TOKEN_EXPIRED' })
    const explanation = await explainRequest(owner, { requestId: requests[0]?.id as string })
    expect(explanation).toMatchObject({ viewer: { id: 'student-45' }, error: { details: { reason: 'PLAYBACK_ENDED' } } })
    expect(explanation.checks.find(({ outcome }) => outcome === 'failed')?.check).toBe('token')
    const permit = new URL(url).pathname.split('/').at(-2) as string
    expect(tablesWith(await dumpTables(), permit.slice(-22))).toEqual([])
  })

  it('does not bring back who was erased since the token was issued', async () => {
    const subject = await viewerReference(owner.accountId, 'student-44')
    const erased = { id: 'rcp_44', kind: 'viewer.erasure', accountId: owner.accountId, subject, rows: {} }
    await db().deletion.create({ data: { ...erased, deletedAt: new Date(Date.now() + 2_000) } })
    const explain = await explained({ viewer: { id: 'student-44' }, countries: ['CH'] }, GERMAN)
    expect((await explain()).viewer).toBeNull()
    expect(await db().viewer.count({ where: { id: subject } })).toBe(0)
  })
})

test('maxHeight leaves higher renditions out, and refuses their playlists', async () => {
  const { url, qualities } = await exchange((await issue({ maxHeight: 720 })).token, NOWHERE)
  expect(qualities).toEqual(['480p'])
  const master = await read(url, NOWHERE)
  expect(master.body.match(/[\w-]+\.m3u8/g)).toEqual(['480p.m3u8', 'iframes-480p.m3u8'])
  expect(await read(new URL('1080p.m3u8', url).href, NOWHERE)).toMatchObject({ status: 403, reason: 'HEIGHT' })
  expect((await read(new URL('480p.m3u8', url).href, NOWHERE)).status).toBe(200)
})

describe('the key of a rendition above maxHeight', () => {
  const bytesOf = async (address: string) => {
    const answer = await fetch(address)
    return { status: answer.status, body: Buffer.from(await answer.arrayBuffer()) }
  }
  const reasonOf = ({ body }: { body: Buffer }) => JSON.parse(body.toString()).error.details?.reason
  /** Returns the key URL in a rendition's playlist, for a session with this policy. */
  async function keyUrlOf(policy: object, quality: string) {
    const { url } = await exchange((await issue(policy)).token, NOWHERE)
    return keyOf((await read(new URL(`${quality}.m3u8`, url).href, NOWHERE)).body)
  }
  /** Returns every mixture of the parameters of two URLs. */
  function mixtures(one: string, other: string): string[] {
    const [mine, theirs] = [new URL(one), new URL(other)]
    const names = [...new Set([...mine.searchParams.keys(), ...theirs.searchParams.keys()])]
    return Array.from({ length: 2 ** names.length }, (_, choice) => {
      const mixed = new URL(mine)
      mixed.search = ''
      for (const [at, name] of names.entries()) {
        const value = (choice & (1 << at) ? theirs : mine).searchParams.get(name)
        if (value !== null) mixed.searchParams.set(name, value)
      }
      return mixed.href
    })
  }

  it('is refused, however the URLs of keys are altered and mixed', async () => {
    const low = await keyUrlOf({ maxHeight: 480 }, '480p')
    const high = await keyUrlOf({ maxHeight: 2160 }, '1080p')
    const [own, others] = [await bytesOf(low), await bytesOf(high)]
    expect([own.status, others.status, own.body.length, others.body.length]).toEqual([200, 200, 16, 16])
    expect(own.body.equals(others.body)).toBe(false)

    // What the service would sign for this session, as in a playlist that it does not serve.
    const query = new URL(low).searchParams
    const [, number, tokenId] = /^(\d+)-(\w+)$/.exec(query.get('session') as string) ?? []
    const opening = { number: Number(number), tokenId: tokenId as string, policy: query.get('policy') as string }
    for (const stream of ['1080p', 'av1-1080p', 'iframes-1080p']) {
      const answer = await bytesOf(keyUrl(videoId, opening, stream))
      expect([stream, answer.status, reasonOf(answer)]).toEqual([stream, 403, 'HEIGHT'])
    }
    for (const stream of ['480p', 'audio-0', 'iframes-480p']) expect((await bytesOf(keyUrl(videoId, opening, stream))).status).toBe(200)

    const altered = [
      low.replace('stream=480p', 'stream=1080p'),
      low.replace('stream=480p', 'stream='),
      low.replace('&stream=480p', ''),
      low.replace('stream=480p', 'stream=audio-0'),
      `${low}&stream=1080p`,
      `${low}&media=vid_other`,
      low.replace('?', '?stream=1080p&'),
      ...mixtures(low, high),
    ]
    let opened = 0
    for (const address of altered) {
      const answer = await bytesOf(address)
      if (answer.status !== 200) expect(answer.status).toBe(401)
      // Only what is signed for the other session opens its key.
      else if (answer.body.equals(others.body)) expect(new URL(address).searchParams.get('sig')).toBe(new URL(high).searchParams.get('sig'))
      else expect(answer.body).toEqual(own.body)
      opened += Number(answer.status === 200)
    }
    expect([opened > 1, opened < altered.length / 2]).toEqual([true, true])
  })

  it('does not follow from the key of a lower one: that decrypts nothing of it', async () => {
    const keys = await Promise.all(['480p', '1080p'].map(async (one) => (await bytesOf(await keyUrlOf({}, one))).body))
    const { contentKey } = await db().media.findUniqueOrThrow({ where: { id: videoId }, select: { contentKey: true } })
    const plain = randomBytes(188 * 20)
    const { body } = encryptSegment(plain, streamKey(openContentKey(contentKey as Uint8Array, videoId), '1080p'), 3)
    const opened = keys.map((one) => {
      try {
        return decryptSegment(body, one, 3).equals(plain)
      } catch {
        return false
      }
    })
    expect(opened).toEqual([false, true])
  })
})

test('a key URL without its policy, or with another session’s, is refused', async () => {
  const open = async (policy: object) => {
    const { url } = await exchange((await issue(policy)).token, SWISS)
    return keyOf((await read(new URL('480p.m3u8', url).href, SWISS)).body)
  }
  const [mine, other] = [await open({ countries: ['CH'] }), await open({ countries: ['DE', 'CH'] })]
  const policyOf = (url: string) => new URL(url).searchParams.get('policy') as string
  expect((await read(mine.replace(/&policy=[^&]*/, ''), GERMAN)).status).toBe(401)
  expect((await read(mine.replace(policyOf(mine), policyOf(other)), GERMAN)).status).toBe(401)
})

test('expiresInSec shortens the life of a token', async () => {
  const { token, expiresIn } = await issue({ expiresInSec: 60 })
  expect(expiresIn).toBe(60)
  expect((await exchange(token, SWISS)).status).toBe(200)
  const jti = newTokenId('key_a')
  const [past, long] = [Math.floor(Date.now() / 1_000) - 61, Math.floor(Date.now() / 1_000)]
  expect((await exchange(signToken(SERVICE, { videoId, jti, iat: past, lifetimeSec: 60 }), SWISS)).code).toBe('PLAYBACK_TOKEN_EXPIRED')
  expect((await exchange(signToken(SERVICE, { videoId, jti, iat: long, lifetimeSec: 301 }), SWISS)).code).toBe('PLAYBACK_TOKEN_INVALID')
})

test('an Idempotency-Key returns the same token for the same policy, and refuses another one', async () => {
  const once = { 'idempotency-key': 'lesson-1' }
  const policy = { countries: ['CH'], viewer: { id: 'student-1' } }
  const [first, again] = [await issue(policy, once), await issue(policy, once)]
  expect(again.token).toBe(first.token)
  expect((await issue({ countries: ['DE'] }, once)).error.code).toBe('IDEMPOTENCY_KEY_REUSED')
  expect((await issue(undefined, once)).error.code).toBe('IDEMPOTENCY_KEY_REUSED')
})

describe('the label of a watermark', () => {
  const label = 'ada.marked-label@example.com'
  const policy = { viewer: { id: 'marked-viewer-1', label }, watermark: 'visible' }
  const manifest = async (token: string) => JSON.parse((await send(`${baseUrl}/v1/video/playback/manifest/${token}`)).body).data

  it('goes to the player that exchanges the token, and into no URL', async () => {
    const { token } = await issue(policy)
    const data = await manifest(token)
    expect(data.watermark).toEqual({ label })
    const master = await read(data.masterPlaylistUrl, NOWHERE)
    const media = await read(new URL('480p.m3u8', data.masterPlaylistUrl).href, NOWHERE)
    const readable = (text: string) => `${text}${Buffer.from(text, 'base64url')}${decodeURIComponent(text)}`
    const parts = [...token.split('.'), ...`${data.masterPlaylistUrl}${keyOf(media.body)}`.split(/[/.?&=-]/), master.body, media.body]
    for (const part of parts) expect(readable(part)).not.toMatch(/marked-label|marked-viewer/)
    const claims = JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString())
    expect(Buffer.from(claims.watermark, 'base64url').toString('latin1')).not.toContain('marked')
    const session = await read(new URL('session.json', data.masterPlaylistUrl).href, NOWHERE)
    expect([session.status, session.body.includes('marked')]).toEqual([200, false])
  })

  it('is not sent without a watermark', async () => {
    expect((await manifest((await issue({ viewer: policy.viewer })).token)).watermark).toBeUndefined()
    expect((await manifest((await issue()).token)).watermark).toBeUndefined()
  })

  it('is in no table: not with an Idempotency-Key, nor with a test key, nor where it was misplaced', async () => {
    const test = (await makeKey(owner, { environment: 'TEST' })).value
    const ways: Record<string, string>[] = [
      { 'idempotency-key': 'marked-1' },
      { 'x-service-key': test },
      { 'x-service-key': test, 'idempotency-key': 'marked-2' },
    ]
    for (const headers of ways) {
      const { status, token } = await issue(policy, headers)
      expect(status).toBe(200)
      expect((await manifest(token)).watermark).toEqual({ label })
      expect((await issue({ ...policy, label }, headers)).status).toBe(400)
      expect((await issue({ ...policy, viewer: [label] }, headers)).status).toBe(400)
    }
    await trafficCollector().flush()
    const bodies = await db().$queryRaw<
      { request: string | null }[]
    >`SELECT bodies->>'request' AS request FROM request_log WHERE bodies IS NOT NULL`
    expect(bodies.filter(({ request }) => request?.includes('"watermark": "visible"')).length).toBeGreaterThan(3)
    const dump = await dumpTables()
    expect(tablesWith(dump, label)).toEqual([])
    // What finds a text that is there.
    expect(tablesWith(dump, 'PLAYBACK_NOT_ALLOWED').join()).toMatch(/request_log/)
  })
})
