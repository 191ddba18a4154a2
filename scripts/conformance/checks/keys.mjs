// Authentication, and the order in which an endpoint refuses (specification §5).
import { KEY_LENGTH } from '../contract.mjs'

const KEYED = [
  ['GET', () => '/v1/video'],
  ['GET', ({ video }) => `/v1/video/${video.id}`],
  ['GET', ({ video }) => `/v1/video/${video.id}/processing`],
  ['POST', ({ video }) => `/v1/video/${video.id}/playback-token`],
]
const UNKNOWN_VIDEO = '/v1/video/vid_conformanceAbsent0000'

const eachKeyed = async (ctx, run) => {
  for (const [method, path] of KEYED) await run(method, path(ctx))
}

/** Returns a well-formed key that was never issued: the given one with its last character changed. */
const neighbour = (key) => key.slice(0, -1) + (key.endsWith('A') ? 'B' : 'A')

const BAD_KEYS = (key) => [
  'x',
  'ak_live_',
  'ak_live_'.padEnd(KEY_LENGTH, 'A'),
  `ak_prod_${key.slice(8)}`,
  `${key}A`,
  key.slice(0, -1),
  neighbour(key),
]

export const keyChecks = [
  {
    id: 'key.format',
    section: '2.4',
    title: 'A key has 40 characters and a live or test prefix',
    needs: ['key'],
    run(seen, { key, testKey }) {
      for (const [value, start] of [
        [key, /^ak_(live|test)_/],
        [testKey, /^ak_test_/],
      ])
        if (value) {
          seen.equal('length of the key', value.length, KEY_LENGTH)
          seen.that('start of the key', start.test(value), String(start), value.slice(0, 8))
        }
    },
  },
  {
    id: 'key.required',
    section: '5.2',
    title: 'No key header, or an empty one: 401 API_KEY_REQUIRED',
    needs: ['video'],
    async run(seen, ctx) {
      await eachKeyed(ctx, async (method, path) => {
        seen.error(await ctx.client.request(path, { method }), 'API_KEY_REQUIRED')
        seen.error(await ctx.client.request(path, { method, key: '' }), 'API_KEY_REQUIRED')
      })
    },
  },
  {
    id: 'key.invalid',
    section: '5.3',
    title: 'An unknown, malformed or mistyped key: 401 INVALID_API_KEY, and the message does not repeat it',
    needs: ['video'],
    async run(seen, ctx) {
      await eachKeyed(ctx, async (method, path) => {
        for (const bad of BAD_KEYS(ctx.key)) {
          const response = await ctx.client.request(path, { method, key: bad })
          seen.error(response, 'INVALID_API_KEY')
          if (bad.length > 10) seen.that('body', !response.text.includes(bad), 'not to contain the key', response.text)
        }
      })
    },
  },
  {
    id: 'key.scope',
    section: '5.4',
    title: 'A key without video:read: 403 INSUFFICIENT_SCOPE',
    needs: ['video', 'bareKey'],
    async run(seen, ctx) {
      await eachKeyed(ctx, async (method, path) => {
        const response = await ctx.client.request(path, { method, key: ctx.bareKey })
        seen.error(response, 'INSUFFICIENT_SCOPE', { details: (details) => details?.needs === 'video:read' })
        seen.noCounters(response)
      })
    },
  },
  {
    id: 'key.header-case',
    section: '5.1',
    title: 'The header name is case-insensitive',
    needs: ['key'],
    async run(seen, { client, key }) {
      seen.success(await client.request('/v1/video', { headers: { 'X-Service-Key': key } }))
    },
  },
  {
    id: 'order.address-first',
    section: '5',
    title: 'Path and method are checked before the key',
    needs: ['video'],
    async run(seen, { client, video }) {
      for (const key of [undefined, 'x']) {
        seen.error(await client.request('/v1/nothing', { key }), 'NOT_FOUND')
        seen.error(await client.request(`/v1/video/${video.id}`, { method: 'PUT', key }), 'METHOD_NOT_ALLOWED')
      }
    },
  },
  {
    id: 'order.key-before-the-rest',
    section: '5',
    title: 'The key is checked before input and existence',
    needs: ['key'],
    async run(seen, { client }) {
      for (const path of ['/v1/video?limit=0', UNKNOWN_VIDEO]) {
        seen.error(await client.request(path), 'API_KEY_REQUIRED')
        seen.error(await client.request(path, { key: 'x' }), 'INVALID_API_KEY')
      }
    },
  },
  {
    id: 'order.scope-before-the-rest',
    section: '5',
    title: 'The scope is checked before input and existence',
    needs: ['bareKey'],
    async run(seen, { client, bareKey: key }) {
      const details = () => true
      for (const path of ['/v1/video?limit=0', UNKNOWN_VIDEO])
        seen.error(await client.request(path, { key }), 'INSUFFICIENT_SCOPE', { details })
      const token = await client.request(`${UNKNOWN_VIDEO}/playback-token`, { method: 'POST', key })
      seen.error(token, 'INSUFFICIENT_SCOPE', { details })
    },
  },
  {
    id: 'order.input-before-existence',
    section: '5',
    title: 'Input is checked before existence',
    needs: ['key'],
    async run(seen, { client, key }) {
      const headers = { 'idempotency-key': 'x'.repeat(256) }
      const response = await client.request(`${UNKNOWN_VIDEO}/playback-token`, { method: 'POST', key, headers })
      seen.error(response, 'INVALID_REQUEST', { details: Array.isArray })
    },
  },
]
