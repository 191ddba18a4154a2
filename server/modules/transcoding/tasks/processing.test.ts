import { describe, expect, it } from 'vitest'
import { plannedWork } from '../../../testing/media/transcode-rows.ts'
import type { StoredQuality } from '../../identity/accounts/quality-schema.ts'
import { buildProcessing, type ProcessingRows, type TaskRow } from './processing.ts'
import { processing } from './processing-schema.ts'

const NOW = new Date('2026-11-21T10:00:00.000Z')
const at = (seconds: number) => new Date(NOW.getTime() + seconds * 1_000)

const task = (kind: TaskRow['kind'], position: number, fields: Partial<TaskRow> = {}): TaskRow => ({
  ...{ kind, position, dueAt: at(-60), leasedUntil: null, failures: 0, losses: 0, progressAt: null },
  ...{ worker: null, startedAt: null, progress: 0, cause: null, doneAt: null, damage: null },
  ...fields,
})
const DONE = { startedAt: at(-30), doneAt: at(-10), progress: 1, worker: 'prc_b' }
const RUNNING = { startedAt: at(-5), leasedUntil: at(8), progress: 0.25, worker: 'prc_a' }

const QUEUE = { dueAt: at(-60), leasedUntil: null, returns: 0, storageFaults: 0, plan: plannedWork(4) }

/** Returns the state of a video with four chunks and one track, of which nothing is begun. */
function state({ tasks = {}, ...rest }: Omit<Partial<ProcessingRows>, 'tasks'> & { tasks?: Record<string, Partial<TaskRow>> } = {}) {
  const all = (['video 0', 'video 1', 'video 2', 'video 3', 'audio 0', 'finish 0'] as const).map((name) => {
    const [kind, position] = name.split(' ') as [TaskRow['kind'], string]
    return task(kind, Number(position), tasks[name])
  })
  const found = buildProcessing({
    now: NOW,
    video: { id: 'vid_a', status: 'PROCESSING', failureReason: null, playableAt: null, completedAt: null, secondsLeft: null, damage: null },
    queue: QUEUE,
    tasks: rest.queue && !rest.queue.plan ? [] : all,
    ahead: { position: 1, ownVideos: 0, otherTurns: 0 },
    workers: 1,
    ...rest,
  })
  const whole = { ...found, replacement: null, transcriptions: [] }
  expect(processing.strict().parse(whole)).toEqual(whole)
  return found
}

const pending = {
  id: 'vid_a',
  status: 'PENDING',
  failureReason: null,
  playableAt: null,
  completedAt: null,
  secondsLeft: null,
  damage: null,
} as const

describe('the stage', () => {
  it('is queued until the analysis, and until the first part begins', () => {
    expect(state({ video: pending, queue: { ...QUEUE, plan: null } }).stage).toBe('queued')
    expect(state().stage).toBe('queued')
  })

  it('is analyzing while the file is read', () => {
    const found = state({ video: pending, queue: { ...QUEUE, plan: null, leasedUntil: at(5) } })
    expect(found).toMatchObject({ stage: 'analyzing', queue: null, chunks: [], secondsLeft: null })
  })

  it('is encoding from the first part on, also while nothing runs', () => {
    expect(state({ tasks: { 'audio 0': RUNNING } }).stage).toBe('encoding')
    expect(state({ tasks: { 'video 0': DONE } })).toMatchObject({ stage: 'encoding', queue: { position: 1 } })
  })

  it('is finishing once every chunk and track is done', () => {
    const done = Object.fromEntries(['video 0', 'video 1', 'video 2', 'video 3', 'audio 0'].map((name) => [name, DONE]))
    expect(state({ tasks: { ...done, 'finish 0': RUNNING } })).toMatchObject({ stage: 'finishing', progress: 1, chunksDone: 4 })
    expect(state({ tasks: { ...done, 'audio 0': RUNNING } }).stage).toBe('encoding')
  })

  it('is completed or failed at the end', () => {
    const ended = { queue: null, ahead: null } as const
    expect(state({ ...ended, video: { ...pending, status: 'COMPLETED', completedAt: NOW } })).toMatchObject({
      stage: 'completed',
      progress: 1,
      playableSince: NOW.toISOString(),
      action: { code: 'none' },
    })
    expect(state({ ...ended, video: { ...pending, status: 'FAILED', failureReason: 'It is a still image.' } })).toMatchObject({
      stage: 'failed',
      failureReason: 'It is a still image.',
      action: { code: 'upload' },
    })
  })
})

describe('the copy', () => {
  const queue = (kept: boolean) => {
    const [rendition] = plannedWork(4).renditions
    return { ...QUEUE, plan: { ...plannedWork(4), renditions: [rendition, rendition].flatMap((one) => one ?? []), copy: { kept } } }
  }

  it('is shown with its rendition, and is no chunk', () => {
    const copy = task('copy', 0, { ...RUNNING, failures: 1, cause: 'failed' })
    const found = state({ queue: queue(true), tasks: { 'finish 0': {} } })
    expect(found.copy).toMatchObject({ quality: '100p', kept: true, state: 'waiting' })
    const rows = { queue: queue(false), copy }
    const running = buildProcessing({
      ...{ now: NOW, video: { ...pending, status: 'PROCESSING' as const }, queue: rows.queue, tasks: [rows.copy], ahead: null },
      workers: 1,
    })
    expect(running).toMatchObject({ stage: 'encoding', progress: 0, chunksDone: 0 })
    expect(running.copy).toMatchObject({ quality: '100p', kept: false, state: 'running', progress: 0.25, worker: 'worker 1' })
    expect(running.tries).toMatchObject([{ part: 'copy', position: null, failures: 1 }])
    expect(state().copy).toBeNull()
  })
})

describe('the chunks', () => {
  it('have a place in the video, a state, a share and the label of their worker', () => {
    const { chunks, progress, audio, lastProgressAt } = state({
      tasks: {
        'video 0': DONE,
        'video 1': RUNNING,
        'video 2': { losses: 1, startedAt: at(-40), worker: 'prc_c' },
        'audio 0': { ...RUNNING, progress: 0.5, worker: 'prc_b' },
      },
    })
    expect(chunks.map((chunk) => [chunk.startSec, chunk.endSec, chunk.state, chunk.progress, chunk.worker])).toEqual([
      [0, 40, 'done', 1, 'worker 2'],
      [40, 80, 'running', 0.25, 'worker 3'],
      [80, 120, 'retrying', 0, 'worker 1'],
      [120, 160, 'waiting', 0, null],
    ])
    expect(progress).toBeCloseTo(0.3125)
    expect(audio).toMatchObject([{ name: 'English', language: 'en', state: 'running', progress: 0.5, worker: 'worker 2' }])
    expect(lastProgressAt).toBe(at(-5).toISOString())
  })

  it('name no process', () => {
    expect(JSON.stringify(state({ tasks: { 'video 0': DONE, 'video 1': RUNNING } }))).not.toContain('prc_')
  })

  it('are lost once the lease of their worker has ended', () => {
    const found = state({ tasks: { 'video 0': { ...RUNNING, leasedUntil: at(-1) } } })
    expect(found.chunks[0]?.state).toBe('retrying')
    expect(found.queue?.reason).toBe('The worker stopped responding. The next free worker will continue.')
    expect(found.tries).toEqual([{ part: 'chunk', position: 0, failures: 0, losses: 1, reason: 'The worker stopped responding.' }])
  })
})

describe('the warnings', () => {
  it('state what could not be decoded, joined across chunks, before and after the end', () => {
    const span = (fromSec: number, toSec: number) => [{ fromSec, toSec }]
    const found = state({
      tasks: {
        'video 0': { ...DONE, damage: span(30, 40) },
        'video 1': { ...DONE, damage: span(40, 50) },
        'video 3': { ...DONE, damage: span(130, 140) },
        'audio 0': { ...DONE, damage: span(1, 2.5) },
      },
    })
    expect(found.warnings.map(({ part, track, startSec, endSec }) => [part, track, startSec, endSec])).toEqual([
      ['picture', null, 30, 50],
      ['picture', null, 130, 140],
      ['audio', 'English', 1, 2.5],
    ])
    const stored = { part: 'picture', track: null, startSec: 2_480, endSec: 2_520 } as const
    const done = state({ queue: null, ahead: null, video: { ...pending, status: 'COMPLETED', completedAt: NOW, damage: [stored] } })
    const text = 'The video could not be decoded between 00:41:20 and 00:42:00. A neighboring frame is shown instead.'
    expect(done.warnings).toEqual([{ ...stored, text }])
  })

  it('name tracks of sound that the video does not have, before and after the end', () => {
    const { plan } = QUEUE
    const reason = 'its format (APAC) cannot be decoded'
    const facts = { ...plan.facts, leftOut: [{ name: 'Track 2', reason }] }
    const warning = { part: 'audio', track: 'Track 2', startSec: 0, endSec: plan.facts.durationSec } as const
    const text = 'The audio (Track 2) is missing: its format (APAC) cannot be decoded.'
    expect(state({ queue: { ...QUEUE, plan: { ...plan, facts } } }).warnings).toEqual([{ ...warning, text }])
    const video = { ...pending, status: 'COMPLETED', completedAt: NOW, damage: [{ ...warning, reason }] } as const
    expect(state({ queue: null, ahead: null, video: { ...video, damage: [...video.damage] } }).warnings).toEqual([{ ...warning, text }])
  })
})

describe('the reason of waiting', () => {
  const reason = (rows: Partial<ProcessingRows>) => state(rows as never).queue?.reason

  it('names what comes before it, without names of other accounts', () => {
    expect(reason({ ahead: { position: 1, ownVideos: 0, otherTurns: 0 } })).toBe('Next in the queue, waiting for a free worker.')
    expect(reason({ ahead: { position: 2, ownVideos: 1, otherTurns: 0 } })).toBe(
      '1 video of this account comes ahead of it. Accounts take turns.',
    )
    expect(reason({ ahead: { position: 15, ownVideos: 2, otherTurns: 12 } })).toBe(
      '2 videos of this account and 12 turns of other accounts come ahead of it. Accounts take turns.',
    )
  })

  it('is a missing worker before anything else', () => {
    const found = state({ workers: 0, ahead: { position: 3, ownVideos: 2, otherTurns: 0 } })
    expect(found.queue?.reason).toBe('No worker is available.')
    expect(found.action.code).toBe('operator')
  })

  it('is the pause after a failure, which has no place in the queue', () => {
    const later = { dueAt: at(30), failures: 1, startedAt: at(-20), cause: 'failed' }
    const tasks = Object.fromEntries(['video 0', 'video 1', 'video 2', 'video 3', 'audio 0'].map((name) => [name, later]))
    expect(state({ tasks }).queue).toMatchObject({ position: null, nextTryAt: at(30).toISOString() })
    const analysis = state({ video: pending, ahead: null, queue: { ...QUEUE, plan: null, dueAt: at(60), storageFaults: 2 } })
    expect(analysis.queue).toMatchObject({ nextTryAt: at(60).toISOString(), reason: 'Waiting to retry after a failure.' })
    expect(analysis.tries).toEqual([
      { part: 'video', position: null, failures: 2, losses: 0, reason: 'The media storage did not respond.' },
    ])
    expect(analysis.action.code).toBe('operator')
  })

  it('is absent while a part runs', () => {
    expect(state({ tasks: { 'video 0': RUNNING } }).queue).toBeNull()
  })
})

describe('what to do', () => {
  const cause = (stored: string) => state({ tasks: { 'video 1': { failures: 1, startedAt: at(-20), cause: stored }, 'video 2': RUNNING } })

  it.each([
    ['failed', 'none', 'An internal error occurred.'],
    ['disk', 'operator', 'The worker ran out of disk space.'],
    ['undecodable', 'upload', 'Part of the file could not be decoded.'],
    ['memory', 'upload', 'The file needs more memory than a worker can use.'],
  ])('follows from the cause %s', (stored, code, reason) => {
    expect(cause(stored)).toMatchObject({ action: { code }, tries: [{ part: 'chunk', position: 1, failures: 1, reason }] })
  })

  it('does not show a stored text that is no known cause', () => {
    const found = cause('ENOENT: /srv/secret/path')
    expect(JSON.stringify(found)).not.toContain('secret')
    expect(found.tries[0]?.reason).toBe('An internal error occurred.')
  })

  it('is nothing once the part that failed is done', () => {
    expect(state({ tasks: { 'video 1': { ...DONE, failures: 1, cause: 'undecodable' } } }).action.code).toBe('none')
  })

  it('is a retry after a fault of the service', () => {
    const failureReason =
      'Transcoding failed three times because of an internal error. Retry later. If it fails again, send the video ID to your operator.'
    const video = { ...pending, status: 'FAILED', failureReason } as const
    expect(state({ video, queue: null }).action.code).toBe('retry')
  })
})

it('the seconds left are those of the pace so far, once the video is analyzed', () => {
  const video = { ...pending, status: 'PROCESSING', secondsLeft: 90 } as const
  expect(state({ video }).secondsLeft).toBe(90)
  expect(state({ video, queue: { ...QUEUE, plan: null } }).secondsLeft).toBeNull()
})

describe('the picture quality', () => {
  const measured = { mean: 93.24, p5: 90.06, min: 80, pictures: 100 }
  const found = [
    { quality: '720p', rateFactor: 26.5, measured },
    { quality: '480p', rateFactor: 27, measured: null },
  ]
  const target = 'standard' as const
  const renditions = [
    { quality: '720p', rateFactor: 26.5, vmafMean: 93.2, vmafP5: 90.1 },
    { quality: '480p', rateFactor: 27, vmafMean: null, vmafP5: null },
  ]
  const planned = (search: { target: StoredQuality; found?: typeof found }) =>
    state({ queue: { ...QUEUE, plan: { ...plannedWork(2), search } } }).pictureQuality

  it('is that of the plan until the video is complete, then that of the video', () => {
    expect(planned({ target })).toEqual({ target, isFound: false, renditions: [] })
    expect(planned({ target, found })).toEqual({ target, isFound: true, renditions })
    expect(planned({ target: '94/89', found })?.target).toEqual({ vmafMean: 94, vmafP5: 89 })
    const video = { ...pending, status: 'COMPLETED', rateFactors: { target, found } } as const
    expect(state({ video, queue: null }).pictureQuality).toEqual({ target, isFound: true, renditions })
  })

  it('is null without a search, and where it found nothing', () => {
    expect(state().pictureQuality).toBeNull()
    expect(planned({ target, found: [] })).toBeNull()
  })
})
