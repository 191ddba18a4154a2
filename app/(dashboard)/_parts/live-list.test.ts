import { describe, expect, it } from 'vitest'
import type { DashboardVideo } from '#server/modules/dashboard/video-row'
import { type Asked, type VideoPages, withVideo } from './live-list.ts'

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute))
const video = (minute: number, changes: Partial<DashboardVideo> = {}): DashboardVideo => ({
  id: `vid_${minute}`,
  title: `Clip ${minute}`,
  description: null,
  status: 'COMPLETED',
  progress: 0,
  etaSec: null,
  failureReason: null,
  durationSec: minute * 10,
  targetQuality: '1080p',
  qualities: [],
  encrypted: true,
  posterUrl: null,
  sourceName: 'clip.mp4',
  sourceBytes: 1,
  createdAt: at(minute),
  startedAt: null,
  playableAt: null,
  completedAt: null,
  deletedAt: null,
  takenDownAt: null,
  takedownReason: null,
  metadata: {},
  externalId: null,
  collections: [],
  ...changes,
})
/** Returns pages of videos created at these minutes; `more` exist on the server. */
const pages = (minutes: number[][], more = false): VideoPages => ({
  pages: minutes.map((page, number) => ({
    videos: page.map((minute) => video(minute)),
    nextCursor: more || number < minutes.length - 1 ? 'c' : null,
  })),
  pageParams: minutes.map(() => undefined),
})
const shownAfter = (before: VideoPages, asked: Asked, changed: DashboardVideo) =>
  withVideo(before, asked, changed)?.pages.map(({ videos }) => videos.map(({ id }) => Number(id.slice(4))))

describe('a list of videos that receives a change', () => {
  const newest = pages(
    [
      [9, 8, 7],
      [6, 5, 3],
    ],
    true,
  )

  it('updates a row in place, also with another status', () => {
    const changed = withVideo(newest, {}, video(8, { status: 'FAILED', failureReason: 'It is damaged.' }))
    expect(changed?.pages[0]?.videos[1]).toMatchObject({ id: 'vid_8', status: 'FAILED', failureReason: 'It is damaged.' })
    expect(shownAfter(newest, {}, video(8, { status: 'FAILED' }))).toEqual([
      [9, 8, 7],
      [6, 5, 3],
    ])
    expect(changed?.pageParams).toBe(newest.pageParams)
  })

  it('removes a row that no longer matches, and keeps the pages after it', () => {
    expect(shownAfter(newest, { filter: 'COMPLETED' }, video(8, { status: 'PENDING' }))).toEqual([
      [9, 7],
      [6, 5, 3],
    ])
    expect(shownAfter(newest, {}, video(6, { deletedAt: at(30) }))).toEqual([
      [9, 8, 7],
      [5, 3],
    ])
    expect(shownAfter(newest, { filter: 'FAILED' }, video(20))).toEqual([
      [9, 8, 7],
      [6, 5, 3],
    ])
  })

  it('inserts a row at its position, and not when that is on a page not loaded', () => {
    expect(shownAfter(newest, {}, video(10))).toEqual([
      [10, 9, 8, 7],
      [6, 5, 3],
    ])
    expect(shownAfter(newest, {}, video(4))).toEqual([
      [9, 8, 7],
      [6, 5, 4, 3],
    ])
    expect(shownAfter(newest, {}, video(2))).toEqual([
      [9, 8, 7],
      [6, 5, 3],
    ])
    expect(shownAfter(pages([[9, 8], [6]]), {}, video(2))).toEqual([
      [9, 8],
      [6, 2],
    ])
    expect(shownAfter(pages([[]]), { filter: 'DELETED' }, video(2, { deletedAt: at(30) }))).toEqual([[2]])
    expect(shownAfter(pages([[3, 5], [8]]), { sort: 'oldest' }, video(6))).toEqual([
      [3, 5],
      [6, 8],
    ])
  })

  it('moves a row whose position in the order changed', () => {
    expect(shownAfter(pages([[9, 8, 7], [6]]), { sort: 'longest' }, video(9, { durationSec: 65 }))).toEqual([
      [8, 7],
      [9, 6],
    ])
    expect(shownAfter(newest, { sort: 'longest' }, video(9, { durationSec: 1 }))).toEqual([
      [8, 7],
      [6, 5, 3],
    ])
  })

  it.each<[string, Asked, Partial<DashboardVideo>]>([
    ['collection', { collection: 'col_1' }, { collections: [{ id: 'col_1', name: 'Physics' }] }],
    ['metadata', { metadata: { course: 'physics' } }, { metadata: { course: 'physics', term: '1' } }],
    ['external id', { externalId: 'lesson-1' }, { externalId: 'lesson-1' }],
    ['last day', { to: '2026-01-01' }, {}],
  ])('has a new video of its %s, and no other', (_name, asked, fields) => {
    const other = { ...video(20), createdAt: new Date('2026-01-02') }
    expect(shownAfter(newest, asked, video(20, fields))?.[0]?.[0]).toBe(20)
    expect(shownAfter(newest, asked, other)).toEqual([
      [9, 8, 7],
      [6, 5, 3],
    ])
  })

  it('has a new video of its named range, and no other', () => {
    const created = { ...video(20), createdAt: new Date() }
    expect(shownAfter(newest, { range: 'today' }, created)?.[0]?.[0]).toBe(20)
    expect(withVideo(newest, { range: 'yesterday' }, created)).toBe(newest)
  })

  it('keeps the words that a row was found by', () => {
    const spoken = [{ language: 'en', startSec: 1, text: 'boiling point' }] as unknown as NonNullable<DashboardVideo['spoken']>
    const found: VideoPages = { pages: [{ videos: [video(9, { spoken }), video(8)], nextCursor: null }], pageParams: [undefined] }
    const rowAfter = (asked: Asked, changes: Partial<DashboardVideo>) =>
      withVideo(found, { transcript: 'boiling', ...asked }, video(9, changes))?.pages[0]?.videos.find(({ id }) => id === 'vid_9')
    expect(rowAfter({}, { title: 'Heat' })).toMatchObject({ title: 'Heat', spoken })
    expect(rowAfter({ sort: 'longest' }, { durationSec: 1 })).toMatchObject({ durationSec: 1, spoken })
  })

  it('leaves to the server what only the server can decide', () => {
    expect(withVideo(newest, { sort: 'title' }, video(9, { title: 'Another' }))).toBeUndefined()
    expect(withVideo(newest, { search: 'clip' }, video(20))).toBeUndefined()
    expect(withVideo(newest, { transcript: 'boiling' }, video(20))).toBeUndefined()
    expect(shownAfter(newest, { sort: 'title' }, video(9, { status: 'FAILED' }))).toEqual([
      [9, 8, 7],
      [6, 5, 3],
    ])
    expect(shownAfter(newest, { search: 'clip' }, video(9, { deletedAt: at(30) }))).toEqual([
      [8, 7],
      [6, 5, 3],
    ])
  })
})
