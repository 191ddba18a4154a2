// The creation of playback tokens, their format, and the quota (specification §2.2, §4.3, §8).
import { TOKEN_FIELDS, TOKEN_LIFETIME } from '../contract.mjs'
import { serverTime } from '../expect.mjs'

export const issue = ({ client, key }, videoId, headers) =>
  client.request(`/v1/video/${videoId}/playback-token`, { method: 'POST', key, headers })

/** Returns the header and claims of a token. */
export function readToken(token) {
  const [header, claims] = token.slice(3).split('.')
  const decode = (part) => JSON.parse(Buffer.from(part, 'base64url').toString())
  return { header: decode(header), claims: decode(claims) }
}

/** Repeats `attempt` if the quota's day changed meanwhile. */
async function withinOneDay(attempt) {
  const resets = await attempt()
  if (new Set(resets).size > 1) await attempt()
}

export const tokenChecks = [
  {
    id: 'token.result',
    section: '2.2, 4.3',
    title: 'A token with its lifetime and player URL, with Cache-Control: no-store',
    needs: ['video'],
    async run(seen, ctx) {
      const response = await issue(ctx, ctx.video.id)
      const data = seen.success(response)
      seen.fields('data', data, TOKEN_FIELDS)
      seen.header(response, 'cache-control', 'no-store')
      seen.header(response, 'access-control-allow-origin', undefined)
      if (!data?.playerUrl) return
      const player = new URL(data.playerUrl)
      seen.that('path of playerUrl', player.pathname.endsWith(`/embed/${ctx.video.id}`), `…/embed/${ctx.video.id}`, player.pathname)
      seen.equal('query of playerUrl', [...player.searchParams], [['token', data.token]])
    },
  },
  {
    id: 'token.jwt',
    section: '2.2, 5.6',
    title: 'A unique HS256 JWT bound to one video for 300 seconds',
    needs: ['video'],
    async run(seen, ctx) {
      const responses = [await issue(ctx, ctx.video.id), await issue(ctx, ctx.video.id)]
      const tokens = responses.map(({ json }) => json?.data?.token)
      seen.that('two tokens', tokens[0] !== tokens[1], 'to differ', tokens[0])
      for (const [index, token] of tokens.entries()) {
        const { header, claims } = readToken(token)
        seen.equal('alg', header.alg, 'HS256')
        seen.that('kid', typeof header.kid === 'string' && header.kid !== '', 'a name', header.kid)
        seen.equal('videoId', claims.videoId, ctx.video.id)
        seen.equal('exp − iat', claims.exp - claims.iat, TOKEN_LIFETIME)
        for (const name of ['jti', 'iss', 'aud'])
          seen.that(name, typeof claims[name] === 'string' && claims[name] !== '', 'a text', claims[name])
        const age = serverTime(responses[index]) - claims.iat
        seen.that('iat', Math.abs(age) <= 5, 'about now', claims.iat)
      }
      seen.that('jti', readToken(tokens[0]).claims.jti !== readToken(tokens[1]).claims.jti, 'unique in each token', tokens)
    },
  },
  {
    id: 'token.counters',
    section: '8',
    title: 'Each token uses one unit of quota; the headers show the count and the next UTC midnight',
    needs: ['video'],
    async run(seen, ctx) {
      await withinOneDay(async () => {
        const states = []
        for (let turn = 0; turn < 3; turn++) states.push(seen.counters(await issue(ctx, ctx.video.id)))
        if (states.some((state) => !state)) return []
        const [{ limit, remaining }] = states
        if (new Set(states.map(({ reset }) => reset)).size === 1)
          seen.equal(
            'remaining after each of three tokens',
            states.map((state) => state.remaining),
            [remaining, remaining - 1, remaining - 2],
          )
        seen.equal(
          'limit after each',
          states.map((state) => state.limit),
          [limit, limit, limit],
        )
        return states.map(({ reset }) => reset)
      })
    },
  },
  {
    id: 'token.refusals-are-free',
    section: '8',
    title: 'A 404 and a 409 carry the rate limit headers and use no quota',
    needs: ['video'],
    async run(seen, ctx) {
      await withinOneDay(async () => {
        const before = seen.counters(await issue(ctx, ctx.video.id))
        const absent = await issue(ctx, 'vid_conformanceAbsent0000')
        seen.error(absent, 'VIDEO_NOT_FOUND')
        const states = [before, seen.counters(absent)]
        const unready = ctx.videos.find(({ status }) => status === 'PENDING' || status === 'FAILED')
        if (unready) {
          const refused = await issue(ctx, unready.id)
          seen.error(refused, 'VIDEO_NOT_READY', {
            details: (details) => typeof details?.status === 'string' && details.status !== 'COMPLETED',
          })
          states.push(seen.counters(refused))
        }
        if (states.some((state) => !state)) return []
        if (new Set(states.map(({ reset }) => reset)).size === 1)
          seen.equal(
            'remaining after errors',
            states.map(({ remaining }) => remaining),
            states.map(() => before.remaining),
          )
        return states.map(({ reset }) => reset)
      })
    },
  },
  {
    id: 'token.idempotent',
    section: '4.3 (additive)',
    title: 'Idempotency-Key: concurrent and sequential repetitions return one token and use one unit',
    needs: ['video'],
    async run(seen, ctx) {
      const headers = { 'idempotency-key': `conformance-${Math.random().toString(36).slice(2)}` }
      await withinOneDay(async () => {
        const before = seen.counters(await issue(ctx, ctx.video.id))
        const together = await Promise.all([1, 2, 3].map(() => issue(ctx, ctx.video.id, headers)))
        const later = await issue(ctx, ctx.video.id, headers)
        const tokens = new Set([...together, later].map((response) => seen.success(response)?.token))
        seen.equal('different tokens', tokens.size, 1)
        const after = seen.counters(later)
        if (before && after && before.reset === after.reset) seen.equal('units used', before.remaining - after.remaining, 1)
        const second = ctx.videos.find(({ status, id }) => status === 'COMPLETED' && id !== ctx.video.id)
        if (second) seen.error(await issue(ctx, second.id, headers), 'IDEMPOTENCY_KEY_REUSED')
        return before && after ? [before.reset, after.reset] : []
      })
      for (const bad of ['', 'x'.repeat(256)])
        seen.error(await issue(ctx, ctx.video.id, { 'idempotency-key': bad }), 'INVALID_REQUEST', { details: Array.isArray })
    },
  },
  {
    id: 'token.bodies',
    section: '4.3',
    title: 'No body is required; unknown fields are rejected with 400, a large body with 413',
    needs: ['video'],
    async run(seen, { client, key, video }) {
      const path = `/v1/video/${video.id}/playback-token`
      const send = (body) => client.request(path, { method: 'POST', key, body, headers: { 'content-type': 'application/json' } })
      seen.success(await send('{}'))
      seen.error(await send('{"ttl": 999}'), 'INVALID_REQUEST', { details: Array.isArray })
      seen.error(await client.request(path, { method: 'POST', key, body: 'x'.repeat(70_000) }), 'PAYLOAD_TOO_LARGE')
    },
  },
]
