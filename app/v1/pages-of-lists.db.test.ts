import { beforeAll, describe, expect, it, vi } from 'vitest'
import { createDirectUpload } from '../../server/modules/uploads/direct/create-direct.ts'
import { createUploadInput } from '../../server/modules/uploads/direct/direct-schema.ts'
import { createCollection } from '../../server/modules/videos/collections/collections.ts'
import { testDatabase } from '../../server/testing/database.ts'
import { startHttpServer } from '../../server/testing/http-server.ts'
import { makeAccount, makeKey, makeVideo } from '../../server/testing/make.ts'
import { areEventsSettled, emitMany } from '../../server/testing/make-endpoint.ts'

await testDatabase()
const baseUrl = await startHttpServer()

interface Page {
  data: { id?: string; eventId?: string; uploadId?: string }[]
  pagination: { nextCursor: string | null; hasMore: boolean; position?: string }
}
type Schema = { properties?: Record<string, Schema>; required?: string[]; type?: string | string[] }
type Operation = { parameters?: { name: string }[]; responses: Record<string, { content: Record<string, { schema: Schema }> }> }

let key: string
const get = async (path: string) => (await (await fetch(baseUrl + path, { headers: { 'x-service-key': key } })).json()) as Page
/** The items of each list, in its order. */
const expected: Record<string, string[]> = {}
let firstEvents = ''

beforeAll(async () => {
  const ctx = await makeAccount()
  const made = await makeKey(ctx, { scopes: ['video:read', 'video:write', 'webhook:read'] })
  key = made.value
  const actor = { kind: 'key', keyId: made.id, scopes: ['video:write'], environment: 'LIVE' } as const
  await vi.waitFor(async () => expect(await areEventsSettled()).toBe(true))
  firstEvents = (await get('/v1/event')).pagination.position as string
  const videos: string[] = []
  const collections: string[] = []
  const uploads: string[] = []
  for (let at = 0; at < 5; at++) {
    videos.unshift(await makeVideo(ctx, { createdAt: new Date(Date.UTC(2026, 0, 1, 0, at)) }))
    collections.push((await createCollection(ctx, { name: `Course ${at}` })).id)
    const { upload } = await createDirectUpload({ ...ctx, actor }, createUploadInput.parse({}))
    uploads.unshift(upload.uploadId)
  }
  const events = await emitMany(ctx, 5)
  Object.assign(expected, { '/v1/video': videos, '/v1/collection': collections, '/v1/event': events, '/v1/upload': uploads })
  await vi.waitFor(async () => expect(await areEventsSettled()).toBe(true))
})

describe.each(['/v1/video', '/v1/collection', '/v1/event', '/v1/upload'])('the pages of GET %s', (path) => {
  it('are walked by nextCursor until it is null, as hasMore says, and then hold every item once', async () => {
    const seen: (string | undefined)[] = []
    const more: boolean[] = []
    for (let cursor: string | null = path === '/v1/event' ? firstEvents : ''; cursor !== null; ) {
      const page: Page = await get(`${path}?limit=2${cursor && `&cursor=${cursor}`}`)
      seen.push(...page.data.map(({ id, eventId, uploadId }) => id ?? eventId ?? uploadId))
      more.push(page.pagination.hasMore)
      cursor = page.pagination.nextCursor
    }
    expect(seen).toEqual(expected[path])
    expect(more).toEqual([true, true, false])
  })
})

it('the position after the last page of events leads to later ones', async () => {
  const { pagination } = await get(`/v1/event?cursor=${firstEvents}`)
  expect(pagination).toEqual({ nextCursor: null, hasMore: false, position: expect.any(String) })
  expect((await get(`/v1/event?cursor=${pagination.position}`)).pagination).toEqual(pagination)
})

it('every operation with a cursor describes nextCursor and hasMore alike', async () => {
  const { paths } = (await (await fetch(`${baseUrl}/v1/openapi.json`)).json()) as { paths: Record<string, Record<string, Operation>> }
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.values(methods)
      .filter(({ parameters }) => parameters?.some(({ name }) => name === 'cursor'))
      .map((operation) => ({ path, schema: operation.responses['200']?.content['application/json']?.schema })),
  )
  // Walked by ./video/viewers-api.db.test.ts and ./analytics/analytics.db.test.ts
  const others = ['/v1/video/{videoId}/viewers', '/v1/viewer', '/v1/viewer/{viewerId}', '/v1/analytics/plays', '/v1/analytics/quality']
  expect(described.map(({ path }) => path).sort()).toEqual([...Object.keys(expected), ...others].sort())
  for (const { path, schema } of described) {
    const { required, properties } = schema?.properties?.pagination ?? {}
    expect([path, required?.slice(0, 2), properties?.nextCursor?.type]).toEqual([path, ['nextCursor', 'hasMore'], ['string', 'null']])
  }
})
