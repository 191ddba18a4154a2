// URLs, methods, preflights and the headers of every response.
import { ADDRESSES } from '../contract.mjs'

const ALL = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
const MEANT = { '/v1/videos': '/v1/video', '/v1/video/': '/v1/video' }
const NOWHERE = [
  '/v1',
  '/v1/',
  '/v1/videos',
  '/v1/video/',
  '/v1/video/a/b',
  '/v1/video/a/playback-token/b',
  '/v1/video/playback/manifest',
  '/v1/Video',
]

const concrete = (address, { video }) =>
  address
    .replace('{videoId}', video?.id ?? 'vid_x')
    .replace('{token}', 'pt_x')
    .replace('{viewerId}', 'student-42')
const isOpen = (address) => address.includes('{token}') || address.endsWith('openapi.json')
const methodsOf = (response) => (response.headers.allow ?? '').split(/\s*,\s*/).sort()

export const surfaceChecks = [
  {
    id: 'surface.not-found',
    section: '7 (additive)',
    title: 'Unknown paths: 404 NOT_FOUND in the envelope, for every method',
    needs: [],
    async run(seen, { client, key }) {
      for (const path of NOWHERE) {
        // For a common mistake in a path, the URL that was meant.
        const details = MEANT[path] && ((value) => value?.didYouMean === MEANT[path])
        seen.error(await client.request(path), 'NOT_FOUND', { details })
        seen.error(await client.request(path, { key }), 'NOT_FOUND', { details })
      }
      for (const method of ALL) seen.error(await client.request('/v1/nothing', { method, key }), 'NOT_FOUND')
    },
  },
  {
    id: 'surface.methods',
    section: '7 (additive)',
    title: 'Other methods: 405 METHOD_NOT_ALLOWED with Allow',
    needs: [],
    async run(seen, ctx) {
      for (const [address, methods] of Object.entries(ADDRESSES)) {
        for (const method of ALL.filter((one) => !methods.includes(one))) {
          const response = await ctx.client.request(concrete(address, ctx), { method, key: ctx.key })
          seen.error(response, 'METHOD_NOT_ALLOWED')
          seen.equal(`Allow of ${method} ${address}`, methodsOf(response), [...methods].sort())
        }
      }
    },
  },
  {
    id: 'surface.head-of-post',
    section: '7 (additive)',
    title: 'HEAD without a GET: 405 without a body',
    needs: [],
    async run(seen, ctx) {
      const response = await ctx.client.request(concrete('/v1/video/{videoId}/playback-token', ctx), { method: 'HEAD', key: ctx.key })
      seen.error(response, 'METHOD_NOT_ALLOWED', { noBody: true })
      seen.equal('length of the body', response.length, 0)
    },
  },
  {
    id: 'surface.options',
    section: '4 (additive)',
    title: 'OPTIONS: 204 with Allow; CORS preflights succeed only where no key is required',
    needs: [],
    async run(seen, ctx) {
      for (const [address, methods] of Object.entries(ADDRESSES)) {
        const headers = { origin: 'https://site.example', 'access-control-request-method': methods[0] }
        const response = await ctx.client.request(concrete(address, ctx), { method: 'OPTIONS', headers })
        seen.equal(`status of OPTIONS ${address}`, response.status, 204)
        seen.equal(`Allow of ${address}`, methodsOf(response), [...methods].sort())
        seen.equal(`length of OPTIONS ${address}`, response.length, 0)
        seen.header(response, 'x-request-id', /^[\w-]{8,64}$/)
        seen.header(response, 'access-control-allow-origin', isOpen(address) ? '*' : undefined)
        if (!isOpen(address)) continue
        seen.header(response, 'access-control-allow-methods', /\bGET\b/)
        seen.header(response, 'access-control-max-age', /^\d+$/)
      }
    },
  },
  {
    id: 'surface.closed-to-browsers',
    section: '4.3',
    title: 'Responses to requests with a key are not readable by other origins',
    needs: ['video'],
    async run(seen, { client, key, video }) {
      const headers = { origin: 'https://site.example' }
      for (const [method, path] of [
        ['GET', '/v1/video'],
        ['GET', `/v1/video/${video.id}`],
        ['POST', `/v1/video/${video.id}/playback-token`],
      ]) {
        const response = await client.request(path, { method, key, headers })
        seen.header(response, 'access-control-allow-origin', undefined)
        seen.header(response, 'access-control-allow-credentials', undefined)
      }
    },
  },
]
