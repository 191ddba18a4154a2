// Policies of playback tokens, and the viewers that they name (additive).
import { randomBytes } from 'node:crypto'
import { FIXTURE_VIEWERS, MANIFEST_FIELDS, TOKEN_FIELDS, VIDEO_VIEWER_FIELDS, VIEWER_FIELDS } from '../contract.mjs'
import { readToken } from './tokens.mjs'

const FIXTURE = 'vid_test_completed'

const issue = ({ client }, key, videoId, policy) =>
  client.request(`/v1/video/${videoId}/playback-token`, {
    method: 'POST',
    key,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(policy),
  })
const exchange = ({ client }, token) => client.request(`/v1/video/playback/manifest/${token}`)
const withReason = (reason) => ({ details: (value) => value?.reason === reason })

/** Issues a token with a policy, and exchanges it. */
async function open(ctx, key, videoId, policy) {
  const { json } = await issue(ctx, key, videoId, policy)
  return exchange(ctx, json?.data?.token ?? 'pt_none')
}

const REFUSED_BODIES = [
  [{ viewerId: 'a' }, 'viewerId'],
  [{ viewer: { id: 'a', name: 'b' } }, 'name'],
  [{ viewer: { id: '' } }, 'viewer.id'],
  [{ maxSessions: 1 }, 'maxSessions'],
  [{ countries: ['Swiss'] }, 'countries'],
  [{ addresses: ['nowhere'] }, 'addresses'],
  [{ maxHeight: '720' }, 'maxHeight'],
  [{ expiresInSec: 10 }, 'expiresInSec'],
]

export const viewerChecks = [
  {
    id: 'policy.accepted',
    section: 'additive',
    title: 'A token request accepts a policy, and the token shows nobody what it says',
    needs: ['testKey'],
    async run(seen, ctx) {
      const policy = {
        ...{ viewer: { id: 'student-of-the-kit' }, maxSessions: 2, onLimit: 'end-oldest', resume: true },
        ...{ countries: ['CH', 'DE'], addresses: ['203.0.113.0/24'], maxHeight: 720, expiresInSec: 60 },
      }
      const data = seen.success(await issue(ctx, ctx.testKey, FIXTURE, policy))
      seen.fields('data', data, { ...TOKEN_FIELDS, expiresIn: (value) => value === 60 })
      const { claims } = readToken(data?.token)
      seen.equal('exp − iat', claims.exp - claims.iat, 60)
      const said = JSON.stringify(claims) + Buffer.from(claims.policy ?? '', 'base64url').toString('latin1')
      for (const name of ['student-of-the-kit', '203.0.113', 'maxSessions', 'CHDE'])
        seen.that('claims', !said.includes(name), `not to contain ${name}`, claims)
      seen.equal(
        'claims without a policy',
        readToken((await issue(ctx, ctx.testKey, FIXTURE, {})).json?.data?.token).claims.policy,
        undefined,
      )
    },
  },
  {
    id: 'policy.invalid',
    section: 'additive',
    title: 'A policy with an unknown field or a wrong value: 400 INVALID_REQUEST with its name',
    needs: ['testKey'],
    async run(seen, ctx) {
      for (const [policy, name] of REFUSED_BODIES)
        seen.error(await issue(ctx, ctx.testKey, FIXTURE, policy), 'INVALID_REQUEST', {
          details: (value) =>
            Array.isArray(value) && value.some(({ in: where, path, message }) => where === 'body' && `${path} ${message}`.includes(name)),
        })
    },
  },
  {
    id: 'policy.refusals',
    section: 'additive',
    title: 'Fixture viewers of a test key produce each refusal of a policy',
    needs: ['testKey'],
    async run(seen, ctx) {
      for (const [id, { exchange: reason }] of Object.entries(FIXTURE_VIEWERS).filter(([, { exchange }]) => exchange)) {
        const response = await open(ctx, ctx.testKey, FIXTURE, { viewer: { id } })
        seen.error(response, 'PLAYBACK_NOT_ALLOWED', withReason(reason))
        seen.header(response, 'access-control-allow-origin', '*')
      }
      seen.fields('manifest', seen.success(await open(ctx, ctx.testKey, FIXTURE, { viewer: { id: 'student-42' } })), MANIFEST_FIELDS)
    },
  },
  {
    id: 'policy.height',
    section: 'additive',
    title: 'A session below a height lists and opens no rendition above it',
    needs: ['testKey', 'delivery'],
    async run(seen, ctx) {
      const [[id]] = Object.entries(FIXTURE_VIEWERS).filter(([, { playlist }]) => playlist)
      const { masterPlaylistUrl, qualities } = seen.success(await open(ctx, ctx.testKey, FIXTURE, { viewer: { id } }))
      const all = seen.success(await open(ctx, ctx.testKey, FIXTURE, {})).qualities
      seen.equal('qualities', qualities, all.slice(-1))
      const master = await ctx.client.fetch(masterPlaylistUrl)
      for (const quality of all) {
        const isOffered = qualities.includes(quality)
        seen.equal(`${quality} in the master playlist`, master.text.includes(`${quality}.m3u8`), isOffered)
        const media = await ctx.client.fetch(new URL(`${quality}.m3u8`, masterPlaylistUrl).href)
        seen.equal(`status of ${quality}`, media.status, isOffered ? 200 : 403)
        if (!isOffered) seen.that(`body of ${quality}`, media.text.includes('"HEIGHT"'), 'the reason HEIGHT', media.text)
      }
    },
  },
  {
    id: 'viewer.scope',
    section: 'additive',
    title: 'Viewers need viewer:read and viewer:write',
    needs: ['noViewerKey'],
    async run(seen, { client, noViewerKey: key, video }) {
      const needs = (scope) => ({ details: (value) => value?.needs === scope })
      const videoId = video?.id ?? 'vid_x'
      for (const path of ['/v1/viewer/a', `/v1/viewer/a/video/${videoId}`, `/v1/video/${videoId}/viewers`])
        seen.error(await client.request(path, { key }), 'INSUFFICIENT_SCOPE', needs('viewer:read'))
      seen.error(await client.request('/v1/viewer/a/end', { method: 'POST', key }), 'INSUFFICIENT_SCOPE', needs('viewer:write'))
    },
  },
  {
    id: 'viewer.sessions',
    section: 'additive',
    title: 'A viewer has as many sessions as a token allows; ending them frees their places; erasing the viewer gives a receipt',
    needs: ['viewerKey', 'video'],
    async run(seen, ctx) {
      const { client, viewerKey: key, video } = ctx
      // Any text is an ID, and each run has another one.
      const id = `kit/${randomBytes(6).toString('hex')} ä`
      const path = `/v1/viewer/${encodeURIComponent(id)}`
      seen.error(await client.request(path, { key }), 'VIEWER_NOT_FOUND')
      const policy = { viewer: { id }, maxSessions: 1 }
      const first = seen.success(await open(ctx, key, video.id, policy))
      seen.error(await open(ctx, key, video.id, policy), 'PLAYBACK_NOT_ALLOWED', withReason('SESSIONS'))
      const viewer = seen.success(await client.request(path, { key }), ['pagination'])
      seen.fields('viewer', viewer, VIEWER_FIELDS)
      seen.equal(
        'id, sessions and videos',
        [viewer?.id, viewer?.sessions?.map(({ videoId }) => videoId), viewer?.videos],
        [id, [video.id], []],
      )
      seen.error(await client.request(`${path}/video/${video.id}`, { key }), 'VIEWER_NOT_FOUND')
      seen.equal('ended', seen.success(await client.request(`${path}/end`, { method: 'POST', key })), { id, ended: 1 })
      if (ctx.delivery) {
        const after = await client.fetch(first.masterPlaylistUrl)
        seen.equal('status of the playlist of an ended session', after.status, 401)
      }
      seen.success(await open(ctx, key, video.id, policy))
      const erasure = seen.success(await client.request(path, { method: 'DELETE', key }))
      seen.that('receipt', /^[\w-]+\.[\w-]+\.[\w-]+$/.test(erasure?.jws), 'signed', erasure)
      seen.error(await client.request(path, { key }), 'VIEWER_NOT_FOUND')
    },
  },
  {
    id: 'viewer.of-video',
    section: 'additive',
    title: 'The viewers of a video, page by page',
    needs: ['viewerKey', 'video'],
    async run(seen, { client, viewerKey: key, video }) {
      const response = await client.request(`/v1/video/${video.id}/viewers?limit=1`, { key })
      for (const one of seen.success(response, ['pagination']) ?? []) seen.fields('viewer of a video', one, VIDEO_VIEWER_FIELDS)
      const { pagination } = response.json ?? {}
      seen.equal('hasMore', pagination?.hasMore, pagination?.nextCursor !== null)
      seen.error(await client.request(`/v1/video/${video.id}/viewers?cursor=nonsense`, { key }), 'INVALID_REQUEST', {
        details: (value) => value?.[0]?.path === 'cursor',
      })
      seen.error(await client.request('/v1/video/vid_x/viewers', { key }), 'VIDEO_NOT_FOUND')
    },
  },
]
