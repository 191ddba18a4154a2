// Responses to a test key (additive): fixture IDs that force every status and every error.
import { ERRORS, FIXTURES, MANIFEST_FIELDS, TOKEN_FIELDS, VIDEO_FIELDS } from '../contract.mjs'

const WITH_DETAILS = {
  VIDEO_NOT_READY: (details) => typeof details?.status === 'string',
  INSUFFICIENT_SCOPE: (details) => typeof details?.needs === 'string',
  IP_NOT_ALLOWED: (details) => typeof details?.address === 'string',
}
const isError = (outcome) => outcome in ERRORS

const ask = ({ client, testKey: key }, id, token = false) =>
  client.request(`/v1/video/${id}${token ? '/playback-token' : ''}`, { key, method: token ? 'POST' : 'GET' })

export const fixtureChecks = [
  {
    id: 'fixtures.reads',
    section: 'additive',
    title: 'Reading a fixture id with a test key returns its status or error',
    needs: ['testKey'],
    async run(seen, ctx) {
      for (const [id, { read }] of Object.entries(FIXTURES)) {
        const response = await ask(ctx, id)
        if (isError(read)) seen.error(response, read, { details: WITH_DETAILS[read] })
        else {
          const video = seen.success(response)
          seen.fields(id, video, VIDEO_FIELDS)
          seen.equal(`${id}: id and status`, [video?.id, video?.status], [id, read])
        }
      }
    },
  },
  {
    id: 'fixtures.tokens',
    section: 'additive',
    title: 'The token endpoint and the exchange return the error of each fixture',
    needs: ['testKey'],
    async run(seen, ctx) {
      for (const [id, { token, exchange }] of Object.entries(FIXTURES)) {
        const response = await ask(ctx, id, true)
        if (token) {
          seen.error(response, token, { details: WITH_DETAILS[token] })
          if (token === 'VIDEO_NOT_READY' || token === 'VIDEO_NOT_FOUND') seen.counters(response)
          if (token === 'RATE_LIMIT_EXCEEDED') exhausted(seen, response)
          continue
        }
        const data = seen.success(response)
        seen.fields(id, data, TOKEN_FIELDS)
        const manifest = await ctx.client.request(`/v1/video/playback/manifest/${data?.token}`)
        seen.header(manifest, 'access-control-allow-origin', '*')
        if (exchange === 'OK') seen.fields(id, seen.success(manifest), MANIFEST_FIELDS)
        else seen.error(manifest, exchange)
      }
    },
  },
  {
    id: 'fixtures.free-quota',
    section: '8',
    title: 'A test key has the free quota of 1,000 per day',
    needs: ['testKey'],
    async run(seen, ctx) {
      seen.equal('limit', seen.counters(await ask(ctx, 'vid_test_completed', true))?.limit, 1_000)
    },
  },
  {
    id: 'fixtures.same-account',
    section: 'additive',
    title: 'A test key also reads the account’s own videos',
    needs: ['testKey', 'video'],
    async run(seen, { client, key, testKey }) {
      const lists = [await client.request('/v1/video', { key }), await client.request('/v1/video', { key: testKey })]
      seen.equal(
        'ids',
        seen.success(lists[1])?.map(({ id }) => id),
        lists[0].json?.data?.map(({ id }) => id),
      )
    },
  },
  {
    id: 'fixtures.live',
    section: 'additive',
    title: 'Fixture ids return 404 for a live key',
    needs: ['liveKey'],
    async run(seen, { client, key }) {
      for (const id of Object.keys(FIXTURES)) {
        seen.error(await client.request(`/v1/video/${id}`, { key }), 'VIDEO_NOT_FOUND')
        seen.error(await client.request(`/v1/video/${id}/playback-token`, { key, method: 'POST' }), 'VIDEO_NOT_FOUND')
      }
    },
  },
]

/** Checks the 429 of specification §8: nothing left, and the time until the reset. */
function exhausted(seen, response) {
  const state = seen.counters(response)
  seen.equal('X-RateLimit-Remaining of a 429', state?.remaining, 0)
  const wait = Number(response.headers['retry-after'])
  const left = state ? state.reset - Date.parse(response.headers.date) / 1000 : wait
  seen.that('Retry-After', Math.abs(left - wait) <= 3, `about ${left}`, wait)
}
