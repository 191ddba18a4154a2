import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AccountCtx } from '../../context.ts'
import { JOBS } from '../../jobs.ts'
import { db } from '../../platform/database/database.ts'
import { startQueue, stopQueue } from '../../platform/job-queue.ts'
import { endLongAnswers } from '../../platform/turns/long-answers.ts'
import { testDatabase } from '../../testing/database.ts'
import { makeAccount, makeVideo } from '../../testing/make.ts'
import { discardDraft, saveDraft } from '../videos/captions/drafts.ts'
import { editVideo } from '../videos/edit-video.ts'
import { removeVideo, restoreVideo, retryVideo } from '../videos/remove.ts'
import { editVideoInput } from '../videos/schema.ts'
import type { VideoStatus } from '../videos/state.ts'
import { getForDashboard } from './get-video.ts'
import { listForDashboard } from './list-videos.ts'
import { type VideoEvent, watchVideos } from './watch-videos.ts'

await testDatabase()
beforeAll(() => startQueue(JOBS))
afterAll(stopQueue)

const actionsOn = async (subject: string) =>
  (await db().auditEntry.findMany({ where: { subject }, orderBy: { id: 'asc' } })).map((row) => row.action)
const queued = (videoId: string) => db().transcodeQueue.count({ where: { mediaId: videoId } })

describe('every use case', () => {
  const verbs: Record<string, (ctx: AccountCtx, videoId: string) => Promise<unknown>> = {
    get: (ctx, videoId) => getForDashboard(ctx, { videoId }),
    edit: (ctx, videoId) => editVideo(ctx, { videoId, title: 'Mine now', description: null }),
    retry: (ctx, videoId) => retryVideo(ctx, { videoId }),
    remove: (ctx, videoId) => removeVideo(ctx, { videoId }),
    restore: (ctx, videoId) => restoreVideo(ctx, { videoId }),
  }

  it.each(Object.entries(verbs))("%s returns VIDEO_NOT_FOUND for another account's video", async (_, verb) => {
    const [owner, stranger] = [await makeAccount(), await makeAccount()]
    const videoId = await makeVideo(owner, { status: 'FAILED' })
    const before = await getForDashboard(owner, { videoId })
    await expect(verb(stranger, videoId)).rejects.toMatchObject({ code: 'VIDEO_NOT_FOUND' })
    await expect(verb(stranger, 'vid_none')).rejects.toMatchObject({ code: 'VIDEO_NOT_FOUND' })
    expect(await getForDashboard(owner, { videoId })).toEqual(before)
    expect(await actionsOn(videoId)).toEqual([])
  })

  it.each(Object.entries(verbs).slice(1))('%s refuses viewers', async (_, verb) => {
    const viewer = await makeAccount('VIEWER')
    const videoId = await makeVideo(viewer, { status: 'FAILED' })
    await expect(verb(viewer, videoId)).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect(await actionsOn(videoId)).toEqual([])
  })
})

it('getForDashboard lists the audio tracks in the order of the source', async () => {
  const ctx = await makeAccount()
  const videoId = await makeVideo(ctx)
  const encoded = { channels: 2, bandwidth: 130_000, averageBandwidth: 128_000, codecs: 'mp4a.40.2', bytes: 9_000n, segments: [] }
  for (const [position, name] of [
    [1, 'German'],
    [0, 'English'],
  ] as const)
    await db().audioRendition.create({ data: { mediaId: videoId, position, name, isDefault: position === 0, ...encoded } })
  const { audio } = await getForDashboard(ctx, { videoId })
  expect(audio.map(({ name, bytes, isDefault }) => [name, bytes, isDefault])).toEqual([
    ['English', 9_000, true],
    ['German', 9_000, false],
  ])
})

it('getForDashboard names the languages whose captions are being edited', async () => {
  const ctx = await makeAccount()
  const videoId = await makeVideo(ctx)
  const draft = { videoId, basedOn: null, text: 'WEBVTT\n' }
  const { revision } = await saveDraft(ctx, { ...draft, language: 'fr', revision: 0 })
  await saveDraft(ctx, { ...draft, language: 'de', revision: 0 })
  expect((await getForDashboard(ctx, { videoId })).captionDrafts).toEqual(['de', 'fr'])
  await discardDraft(ctx, { videoId, language: 'fr', revision })
  expect((await getForDashboard(ctx, { videoId })).captionDrafts).toEqual(['de'])
})

describe('editVideo', () => {
  it('changes title and description and records it once', async () => {
    const ctx = await makeAccount()
    const videoId = await makeVideo(ctx)
    const input = editVideoInput.parse({ videoId, title: '  Harbour ', description: '   ', expected: { title: 'Clip', description: null } })
    await editVideo(ctx, input)
    await editVideo(ctx, input)
    expect(await getForDashboard(ctx, { videoId })).toMatchObject({ title: 'Harbour', description: null })
    expect(await actionsOn(videoId)).toEqual(['video.edit'])
  })

  it.each([
    [{ title: ' ' }, 'Enter a title.'],
    [{ title: 'x'.repeat(201) }, 'A title can have at most 200 characters.'],
    [{ title: 'x', description: 'x'.repeat(5_001) }, 'A description can have at most 5,000 characters.'],
  ])('refuses %o', (fields, message) => {
    expect(editVideoInput.safeParse({ videoId: 'vid_x', ...fields }).error?.issues[0]?.message).toBe(message)
  })
})

describe('retryVideo', () => {
  it('queues a failed video once', async () => {
    const ctx = await makeAccount()
    const videoId = await makeVideo(ctx, { status: 'FAILED', failureReason: 'It is incomplete.', completedAt: null })
    const tries = await Promise.allSettled(Array.from({ length: 5 }, () => retryVideo(ctx, { videoId })))
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await getForDashboard(ctx, { videoId })).toMatchObject({ status: 'PENDING', failureReason: null, progress: 0 })
    expect(await queued(videoId)).toBe(1)
    expect(await actionsOn(videoId)).toEqual(['video.retry'])
  })

  it.each<VideoStatus>(['PENDING', 'PROCESSING', 'COMPLETED'])('refuses a %s video', async (status) => {
    const ctx = await makeAccount()
    const videoId = await makeVideo(ctx, { status })
    const before = await queued(videoId)
    await expect(retryVideo(ctx, { videoId })).rejects.toMatchObject({ code: 'CONFLICT', extras: { details: { status } } })
    expect(await queued(videoId)).toBe(before)
  })
})

describe('removeVideo', () => {
  it('hides a video except under its own filter, and can be undone', async () => {
    const ctx = await makeAccount()
    const videoId = await makeVideo(ctx)
    const listed = async (filter?: 'DELETED') => (await listForDashboard(ctx, { filter })).videos.map(({ id }) => id)
    const removed = await removeVideo(ctx, { videoId })
    expect([await listed(), await listed('DELETED')]).toEqual([[], [videoId]])
    expect(await removeVideo(ctx, { videoId })).toEqual(removed)
    await expect(editVideo(ctx, { videoId, title: 'x', description: null })).rejects.toMatchObject({ code: 'VIDEO_NOT_FOUND' })
    await restoreVideo(ctx, { videoId })
    await restoreVideo(ctx, { videoId })
    expect([await listed(), await listed('DELETED')]).toEqual([[videoId], []])
    expect(await actionsOn(videoId)).toEqual(['video.remove', 'video.restore'])
  })

  it('is final after 7 days', async () => {
    const ctx = await makeAccount()
    const videoId = await makeVideo(ctx, { deletedAt: new Date(Date.now() - 7 * 86_400_000 - 60_000) })
    await expect(restoreVideo(ctx, { videoId })).rejects.toMatchObject({ code: 'VIDEO_NOT_FOUND' })
    expect((await listForDashboard(ctx, { filter: 'DELETED' })).videos).toEqual([])
  })
})

describe('listForDashboard', () => {
  it('pages through every video once, newest first', async () => {
    const ctx = await makeAccount()
    const createdAt = new Date('2026-01-01T00:00:00Z')
    const made = await Promise.all(
      Array.from({ length: 120 }, (_, i) => makeVideo(ctx, { createdAt: new Date(createdAt.getTime() + (i % 40)) })),
    )
    const seen: string[] = []
    const moments: number[] = []
    let cursor: string | undefined
    do {
      const page = await listForDashboard(ctx, { cursor })
      seen.push(...page.videos.map(({ id }) => id))
      moments.push(...page.videos.map((video) => video.createdAt.getTime()))
      cursor = page.nextCursor ?? undefined
    } while (cursor)
    expect(seen.length).toBe(120)
    expect(new Set(seen)).toEqual(new Set(made))
    expect(moments).toEqual([...moments].sort((a, b) => b - a))
  })

  it('finds videos by part of a title, by a whole id, by status, and escapes wildcards', async () => {
    const ctx = await makeAccount()
    const pier = await makeVideo(ctx, { title: 'The North Pier' })
    const sale = await makeVideo(ctx, { title: '100% off', status: 'FAILED' })
    const found = async (input: Parameters<typeof listForDashboard>[1]) => (await listForDashboard(ctx, input)).videos.map(({ id }) => id)
    expect(await found({ search: 'north p' })).toEqual([pier])
    expect(await found({ search: sale })).toEqual([sale])
    expect(await found({ search: '%' })).toEqual([sale])
    expect(await found({ search: '_' })).toEqual([])
    expect(await found({ filter: 'FAILED' })).toEqual([sale])
    expect(await found({ filter: 'FAILED', search: 'pier' })).toEqual([])
  })

  it('returns no storage names and no keys', async () => {
    const ctx = await makeAccount()
    await makeVideo(ctx)
    const [video] = (await listForDashboard(ctx, {})).videos
    expect(Object.keys(video ?? {})).not.toContain('sourceKey')
    expect(Object.keys(video ?? {})).not.toContain('contentKey')
  })
})

describe('watchVideos', () => {
  async function next(events: AsyncGenerator<VideoEvent>): Promise<VideoEvent> {
    const { value, done } = await events.next()
    if (done) throw new Error('the watch ended')
    return value
  }

  it("yields changes of the account's videos alone, and ends with the signal", async () => {
    const [ctx, other] = [await makeAccount(), await makeAccount()]
    const videoId = await makeVideo(ctx, { status: 'PROCESSING' })
    const end = new AbortController()
    const events = watchVideos(ctx, end.signal)
    expect(await next(events)).toEqual({ type: 'resync' })
    const heard = next(events)
    await makeVideo(other)
    await db().media.update({ where: { id: videoId }, data: { progress: 42 } })
    expect(await heard).toMatchObject({ type: 'changed', videos: [{ id: videoId, progress: 42 }], gone: [] })
    const heardGone = next(events)
    await db().video.delete({ where: { id: videoId } })
    expect(await heardGone).toEqual({ type: 'changed', videos: [], gone: [videoId] })
    const last = events.next()
    end.abort()
    expect(await last).toMatchObject({ done: true })
  })

  it('combines concurrent changes', async () => {
    const ctx = await makeAccount()
    const end = new AbortController()
    const events = watchVideos(ctx, end.signal)
    await next(events)
    const made = await Promise.all(Array.from({ length: 30 }, () => makeVideo(ctx)))
    const seen = new Set<string>()
    let eventCount = 0
    while (seen.size < made.length) {
      const event = await next(events)
      eventCount++
      if (event.type === 'changed') for (const { id } of event.videos) seen.add(id)
    }
    expect(seen).toEqual(new Set(made))
    expect(eventCount).toBeLessThan(10)
    end.abort()
  })

  it('throws instead of ending when the process stops, so that pages reconnect', async () => {
    const events = watchVideos(await makeAccount(), new AbortController().signal)
    await next(events)
    const last = expect(events.next()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    endLongAnswers()
    await last
  })
})
