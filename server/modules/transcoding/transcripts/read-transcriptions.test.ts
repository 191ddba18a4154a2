import { expect, it } from 'vitest'
import { presentTranscription, type TranscriptRow } from './read-transcriptions.ts'

const now = new Date('2026-11-21T09:10:00Z')
const before = (sec: number) => new Date(now.getTime() - sec * 1_000)
const ROW: TranscriptRow = {
  ...{ wanted: 'auto', state: 'open', reason: null, language: null, speechSec: null, doneSec: 0, now, workers: 1, videos: 0 },
  ...{ queuedAt: before(100), begunAt: null, endedAt: null, dueAt: before(100), leasedUntil: null },
  ...{ failures: 0, losses: 0, storageFaults: 0, cause: null },
}
const shown = (row: Partial<TranscriptRow>, off?: string) => presentTranscription({ ...ROW, ...row }, off)
const running = { begunAt: before(60), leasedUntil: before(-5), speechSec: 300, doneSec: 100 }

it('estimates the time left from the pace so far', () => {
  expect(shown(running)).toMatchObject({ state: 'running', progress: 0.333, secondsLeft: 120, reason: null })
  expect(shown({ ...running, doneSec: 0 })).toMatchObject({ progress: 0, secondsLeft: null })
})

it('says during an attempt why the one before failed', () =>
  expect(shown({ ...running, storageFaults: 1, cause: 'engine' })).toMatchObject({
    ...{ state: 'running', attempts: 1, reason: 'The speech-to-text engine did not respond.', action: expect.stringContaining('operator') },
  }))

it('is running between two chunks', () => expect(shown({ ...running, leasedUntil: null })).toMatchObject({ state: 'running' }))

it('says what it is waiting for', () => {
  expect(shown({ workers: 0 })).toMatchObject({ state: 'waiting', reason: 'No worker is available.' })
  expect(shown({ videos: 2 })).toMatchObject({ state: 'waiting', reason: 'Waiting until no video is being transcoded.' })
  expect(shown({})).toMatchObject({ state: 'waiting', reason: 'Waiting for a free worker. Accounts take turns.' })
  expect(shown({}, 'Speech to text is off.')).toMatchObject({ state: 'waiting', reason: 'Speech to text is off.' })
})

it('says why a part is attempted again, when, and what to do', () => {
  expect(shown({ storageFaults: 3, cause: 'engine', dueAt: before(-60) })).toMatchObject({
    ...{ state: 'retrying', attempts: 3, reason: 'The speech-to-text engine did not respond.', nextTryAt: '2026-11-21T09:11:00.000Z' },
    action: expect.stringContaining('operator'),
  })
  expect(shown({ leasedUntil: before(1) })).toMatchObject({ state: 'retrying', attempts: 1, reason: 'The worker stopped responding.' })
  expect(shown({ failures: 1, cause: 'psql: password' })).toMatchObject({ reason: 'An internal error occurred.' })
})

it('says how it ended', () => {
  const ended = { endedAt: before(1) }
  expect(shown({ ...ended, state: 'done', language: 'en' })).toMatchObject({ state: 'completed', language: 'en', progress: 1 })
  expect(shown({ ...ended, state: 'silent', reason: 'No speech.' })).toMatchObject({ state: 'empty', reason: 'No speech.', language: null })
  expect(shown({ ...ended, state: 'failed', reason: 'No.', language: 'en' })).toMatchObject({
    state: 'failed',
    reason: 'No.',
    language: null,
  })
})
