import { InfiniteQueryObserver, QueryClient, QueryObserver } from '@tanstack/react-query'
import { createTRPCClient } from '@trpc/client'
import { observable } from '@trpc/server/observable'
import { createTRPCOptionsProxy } from '@trpc/tanstack-react-query'
import { describe, expect, it } from 'vitest'
import type { DashboardVideo } from '#server/modules/dashboard/video-row'
import type { DashboardListInput } from '#server/modules/videos/list/list-schema'
import type { AppRouter } from '#server/trpc/root'
import type { VideoPages } from './live-list.ts'
import { showGone, showVideo } from './show-video.ts'

const processing = { id: 'vid_1', title: 'Clip', status: 'PROCESSING', deletedAt: null, createdAt: new Date() } as unknown as DashboardVideo
const failed: DashboardVideo = { ...processing, status: 'FAILED' }

/** Simulates a browser whose calls the test resolves; `calls` lists the pending ones. */
function browser() {
  const calls: { path: string; answer: (data: unknown) => void }[] = []
  const link = () => (given: { op: { path: string } }) =>
    observable((observer) => {
      calls.push({
        path: given.op.path,
        answer: (data) => {
          observer.next({ result: { type: 'data', data } })
          observer.complete()
        },
      })
    })
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const trpc = createTRPCOptionsProxy<AppRouter>({ client: createTRPCClient<AppRouter>({ links: [link as never] }), queryClient: client })
  const answer = async (path: string, data: unknown) => {
    await expect.poll(() => calls.some((call) => call.path === path)).toBe(true)
    const at = calls.findIndex((call) => call.path === path)
    calls.splice(at, 1)[0]?.answer(data)
  }
  return { client, trpc, calls, answer }
}

function openList({ client, trpc }: ReturnType<typeof browser>, input: Partial<DashboardListInput> = {}) {
  const options = trpc.video.list.infiniteQueryOptions(input, { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined })
  const observer = new InfiniteQueryObserver(client, options as never)
  observer.subscribe(() => {})
  const videos = () => (observer.getCurrentResult().data as unknown as VideoPages | undefined)?.pages.flatMap((page) => page.videos)
  return { videos, idle: () => expect.poll(() => observer.getCurrentResult().fetchStatus).toBe('idle') }
}

function openDetail({ client, trpc }: ReturnType<typeof browser>) {
  const observer = new QueryObserver(client, trpc.video.get.queryOptions({ videoId: processing.id }) as never)
  observer.subscribe(() => {})
  return observer
}

const page = (...videos: DashboardVideo[]) => ({ videos, nextCursor: null })

describe('a list in flight while a video changes', () => {
  it.each([true, false])('shows the change, not the older response (first one: %s)', async (first) => {
    const tab = browser()
    const list = openList(tab)
    if (!first) {
      await tab.answer('video.list', page(processing))
      await list.idle()
      void tab.client.invalidateQueries(tab.trpc.video.list.pathFilter())
    }
    showVideo(tab.client, tab.trpc, failed)
    await tab.answer('video.list', page(processing))
    await list.idle()
    expect(list.videos()).toEqual([failed])
    expect(tab.calls).toEqual([])
  })

  it('no longer shows a deleted video', async () => {
    const tab = browser()
    const list = openList(tab)
    showGone(tab.client, tab.trpc, processing.id)
    await tab.answer('video.list', page(processing))
    await list.idle()
    expect(list.videos()).toEqual([])
  })

  it('refetches where only the server knows the position: twice at most, for any number of notices', async () => {
    const tab = browser()
    const list = openList(tab, { sort: 'title' })
    for (let heard = 0; heard < 20; heard++) showVideo(tab.client, tab.trpc, { ...processing, progress: heard })
    await tab.answer('video.list', page())
    for (let again = 0; again < 2; again++) await tab.answer('video.list', page(failed))
    await list.idle()
    expect(list.videos()).toEqual([failed])
    expect(tab.calls).toEqual([])
  })
})

it('a video’s own page in flight shows the change and refetches the rest of its data', async () => {
  const tab = browser()
  const observer = openDetail(tab)
  showVideo(tab.client, tab.trpc, failed)
  await tab.answer('video.get', { ...processing, renditions: [] })
  await expect.poll(() => (observer.getCurrentResult().data as DashboardVideo | undefined)?.status).toBe('FAILED')
  await tab.answer('video.get', { ...failed, renditions: ['read after'] })
  await expect.poll(() => observer.getCurrentResult().data).toEqual({ ...failed, renditions: ['read after'] })
})

it('a response that a change requested is kept, though it is newer than the change', async () => {
  const tab = browser()
  const observer = openDetail(tab)
  await tab.answer('video.get', { ...processing, status: 'PENDING', renditions: [] })
  await expect.poll(() => observer.getCurrentResult().fetchStatus).toBe('idle')
  showVideo(tab.client, tab.trpc, processing)
  await tab.answer('video.get', { ...failed, renditions: [] })
  await expect.poll(() => observer.getCurrentResult().fetchStatus).toBe('idle')
  expect(observer.getCurrentResult().data).toMatchObject({ status: 'FAILED' })
  expect(tab.calls).toEqual([])
})

it('an optimistic change is shown, and not refetched before it is saved', async () => {
  const tab = browser()
  const observer = openDetail(tab)
  await tab.answer('video.get', { ...failed, renditions: [] })
  await expect.poll(() => observer.getCurrentResult().fetchStatus).toBe('idle')
  showVideo(tab.client, tab.trpc, processing, { foretold: true })
  expect(observer.getCurrentResult()).toMatchObject({ data: { status: 'PROCESSING' }, fetchStatus: 'idle' })
  expect(tab.calls).toEqual([])
})
