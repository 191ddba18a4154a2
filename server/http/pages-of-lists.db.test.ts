import { beforeAll, describe, expect, it, vi } from 'vitest'
import { createCollection } from '../modules/collections/create-collection.ts'
import { testDatabase } from '../testing/database.ts'
import { startHttpServer } from '../testing/http-server.ts'
import { makeAccount, makeKey, makeVideo } from '../testing/make.ts'
import { areEventsSettled, emitMany } from '../testing/make-endpoint.ts'

await testDatabase()
const baseUrl = await startHttpServer()

interface Page {
  data: { id?: string; eventId?: string }[]
  pagination: { nextCursor: string | null; hasMore: boolean }
}
type Schema = { properties?: Record<string, Schema>; required?: string[]; type?: string }
type Operation = { parameters?: { name: string }[]; responses: Record<string, { content: Record<string, { schema: Schema }> }> }

let key: string
const get = async (path: string) => (await (await fetch(baseUrl + path, { headers: { 'x-service-key': key } })).json()) as Page
/** The items of each list, in its order. */
const expected: Record<string, string[]> = {}
let firstEvents = ''

beforeAll(async () => {
  const ctx = await makeAccount()
  key = (await makeKey(ctx, { scopes: ['video:read', 'webhook:read'] })).value
  await vi.waitFor(async () => expect(await areEventsSettled()).toBe(true))
  firstEvents = (await get('/v1/event')).pagination.nextCursor as string
  const videos: string[] = []
  const collections: string[] = []
  for (let made = 0; made < 5; made++) {
    videos.unshift(await makeVideo(ctx, { createdAt: new Date(Date.UTC(2026, 0, 1, 0, made)) }))
    collections.push((await createCollection(ctx, { name: `Course ${made}` })).id)
  }
  const events = await emitMany(ctx, 5)
  Object.assign(expected, { '/v1/video': videos, '/v1/collection': collections, '/v1/event': events })
  await vi.waitFor(async () => expect(await areEventsSettled()).toBe(true))
})

describe.each(['/v1/video', '/v1/collection', '/v1/event'])('the pages of GET %s', (path) => {
  it('are walked by nextCursor while hasMore, and then hold every item once', async () => {
    const seen: (string | undefined)[] = []
    const more: boolean[] = []
    let cursor = path === '/v1/event' ? firstEvents : ''
    for (let hasMore = true; hasMore; ) {
      const page = await get(`${path}?limit=2${cursor && `&cursor=${cursor}`}`)
      seen.push(...page.data.map(({ id, eventId }) => id ?? eventId))
      ;({ hasMore } = page.pagination)
      more.push(hasMore)
      cursor = page.pagination.nextCursor ?? ''
    }
    expect(seen).toEqual(expected[path])
    expect(more).toEqual([true, true, false])
  })
})

it('every operation with a cursor describes nextCursor and hasMore', async () => {
  const { paths } = (await (await fetch(`${baseUrl}/v1/openapi.json`)).json()) as { paths: Record<string, Record<string, Operation>> }
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.values(methods)
      .filter(({ parameters }) => parameters?.some(({ name }) => name === 'cursor'))
      .map((operation) => ({ path, schema: operation.responses['200']?.content['application/json']?.schema })),
  )
  expect(described.map(({ path }) => path).sort()).toEqual(Object.keys(expected).sort())
  for (const { schema } of described) expect(schema?.properties?.pagination?.required).toEqual(['nextCursor', 'hasMore'])
})
