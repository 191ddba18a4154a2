// Listing and reading videos (specification §4.1, §4.2).
import { VIDEO_FIELDS } from '../contract.mjs'
import { validatorChecks } from './validators.mjs'

const MANY = 6

/** Newest first, then by id. */
const inOrder = (a, b) => Date.parse(a.createdAt) > Date.parse(b.createdAt) || (a.createdAt === b.createdAt && a.id < b.id)

/** Checks the invariants between the fields of one video. */
function coherent(seen, video) {
  seen.fields(`video ${video.id}`, video, VIDEO_FIELDS)
  seen.that(`${video.id}: URLs`, !JSON.stringify({ ...video, title: '', description: '' }).includes('://'), 'none', video)
  const heights = (video.qualities ?? []).map((quality) => Number.parseInt(quality, 10))
  seen.equal(
    `${video.id}: order of qualities`,
    heights,
    [...heights].sort((a, b) => b - a),
  )
  if (video.status !== 'COMPLETED') return
  seen.that(`${video.id}: completedAt`, video.completedAt >= video.createdAt, 'not before createdAt', video.completedAt)
  seen.equal(`${video.id}: highest of qualities`, video.qualities[0], video.targetQuality)
  seen.that(`${video.id}: durationSec`, video.durationSec > 0, 'more than 0', video.durationSec)
}

export const videoChecks = [
  {
    id: 'list.all',
    section: '4.1',
    title: 'The list contains every video with exactly the specified fields, newest first',
    needs: ['key'],
    async run(seen, { client, key }) {
      const response = await client.request('/v1/video', { key })
      const videos = seen.success(response) ?? []
      seen.that('data', Array.isArray(videos), 'an array', videos)
      for (const video of videos) coherent(seen, video)
      for (let index = 1; index < videos.length; index++)
        seen.that(`order at ${index}`, inOrder(videos[index - 1], videos[index]), 'newest first, then by id', videos[index].id)
      seen.equal('ids that appear twice', videos.length - new Set(videos.map(({ id }) => id)).size, 0)
      seen.header(response, 'cache-control', 'private, no-cache')
      seen.header(response, 'access-control-allow-origin', undefined)
      seen.noCounters(response)
    },
  },
  {
    id: 'list.unknown-parameters',
    section: '9',
    title: 'Unknown parameters are ignored',
    needs: ['key'],
    async run(seen, { client, key }) {
      const [plain, asked] = [await client.request('/v1/video', { key }), await client.request('/v1/video?colour=red', { key })]
      seen.success(asked)
      seen.equal('body', asked.text, plain.text)
    },
  },
  {
    id: 'list.pages',
    section: '4.1 (additive)',
    title: 'Pages by limit and cursor contain every video once, in the same order',
    needs: ['videos'],
    async run(seen, { client, key }) {
      const all = (await client.request('/v1/video', { key })).json.data
      const limit = Math.min(500, Math.max(1, Math.ceil(all.length / MANY)))
      const gathered = []
      let cursor = null
      for (let page = 0; page <= all.length; page++) {
        const response = await client.request(`/v1/video?limit=${limit}${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`, {
          key,
        })
        const videos = seen.success(response, ['pagination']) ?? []
        const pagination = response.json?.pagination
        seen.fields('pagination', pagination, {
          nextCursor: (value) => value === null || (typeof value === 'string' && value.length > 0),
          hasMore: (value) => typeof value === 'boolean',
        })
        seen.that('length of a page', videos.length <= limit, `at most ${limit}`, videos.length)
        seen.equal('hasMore', pagination?.hasMore, pagination?.nextCursor !== null)
        gathered.push(...videos)
        cursor = pagination?.nextCursor ?? null
        if (cursor === null) break
      }
      seen.equal(
        'ids of all pages together',
        gathered.map(({ id }) => id),
        all.map(({ id }) => id),
      )
    },
  },
  {
    id: 'list.bad-input',
    section: '4.1 (additive)',
    title: 'An invalid limit or cursor: 400 INVALID_REQUEST that names it',
    needs: ['key'],
    async run(seen, { client, key }) {
      for (const [search, name] of [
        ['limit=0', 'limit'],
        ['limit=501', 'limit'],
        ['limit=1.5', 'limit'],
        ['limit=ten', 'limit'],
        ['limit=1&cursor=nonsense', 'cursor'],
        ['cursor=', 'cursor'],
      ]) {
        const details = (list) =>
          Array.isArray(list) && list[0]?.in === 'query' && list[0]?.path === name && typeof list[0]?.message === 'string'
        seen.error(await client.request(`/v1/video?${search}`, { key }), 'INVALID_REQUEST', { details })
      }
    },
  },
  {
    id: 'get.same-as-list',
    section: '4.2',
    title: 'A video read by id equals its entry in the list',
    needs: ['videos'],
    async run(seen, { client, key, videos }) {
      for (const listed of videos.slice(0, MANY)) {
        const response = await client.request(`/v1/video/${listed.id}`, { key })
        const video = seen.success(response)
        if (video) coherent(seen, video)
        if (listed.status === 'COMPLETED' || listed.status === 'FAILED') seen.equal(`video ${listed.id}`, video, listed)
        seen.header(response, 'cache-control', 'private, no-cache')
        seen.noCounters(response)
      }
    },
  },
  {
    id: 'get.not-found',
    section: '4.2',
    title: 'An id that is not a video of the account: 404 VIDEO_NOT_FOUND, regardless of its form',
    needs: ['key'],
    async run(seen, { client, key, foreignVideo }) {
      const absent = await client.request('/v1/video/vid_conformanceAbsent0000', { key })
      seen.error(absent, 'VIDEO_NOT_FOUND')
      const odd = ['nonsense', 'vid_', 'vid_%27%3B--', '%20', `vid_${'v'.repeat(2_000)}`, encodeURIComponent('vid_ключ')]
      for (const id of odd) seen.error(await client.request(`/v1/video/${id}`, { key }), 'VIDEO_NOT_FOUND')
      if (!foreignVideo) return
      const foreign = await client.request(`/v1/video/${foreignVideo}`, { key })
      seen.error(foreign, 'VIDEO_NOT_FOUND')
      const plain = ({ text, json }) => text.replaceAll(json?.error?.requestId ?? '', '')
      seen.equal('another account’s video', plain(foreign), plain(absent))
    },
  },
  ...validatorChecks('list', '4.1 (additive)', ['key'], () => '/v1/video'),
  ...validatorChecks('get', '4.2 (additive)', ['video'], ({ video }) => `/v1/video/${video.id}`),
]
