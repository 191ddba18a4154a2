import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { InstallationStatus } from './installation-status.ts'
import { warningsOf } from './warnings.ts'

const started = new Date(0)
const web = { id: 'prc_1', host: 'one', pid: 1, roles: ['web', 'worker'], version: '1.0.0', isSilent: false, fault: null }
const healthy: InstallationStatus = {
  version: '1.0.0',
  processes: [{ ...web, startedAt: started, heartbeatAt: started }],
  queue: {
    ...{ videos: { due: 0, delayed: 0, running: 0, oldest: 0 }, webhooks: { pending: 0, oldest: 0 }, jobs: [] },
    ...{ speech: { engine: 'whisper' }, transcripts: { due: 0, delayed: 0, running: 0, oldest: 0, fault: null } },
  },
  storage: {
    media: { kind: 'folder', name: '/data/media' },
    free: [{ volume: 'media', bytes: 100e9 }],
    reserve: 5e9,
    stored: { videos: 1, originals: 1, renditions: 1, unfinished: 0 },
    ...{ faults: 0, removals: 0, move: null },
  },
  encodings: {
    av1: { afterHours: 20, stored: 0, due: 0, encoding: 0 },
    slower: { preset: 'medium', afterHours: 100, due: 0 },
  },
  delivered: { days: 30, h264: 0, av1: 0, audio: 0, saved: 0, storedAv1: 0 },
  database: {
    ...{ isEmbedded: false, version: '17', size: 1, connections: 5, maxConnections: 100, oldestTransaction: 1 },
    ...{ standbys: [], replicaBehind: undefined, migrations: { applied: 1, missing: [] } },
  },
  backups: { isScheduled: true, isOverdue: false, last: null, lastProven: started },
  signUp: { mode: 'open', domains: [] },
  limits: [],
}
const { queue, storage, database, backups } = healthy
const [first] = healthy.processes as [InstallationStatus['processes'][number]]

/** For each warning, a state that causes it and no other. */
const CAUSES: Record<string, Partial<InstallationStatus>> = {
  'no-worker': { processes: [{ ...first, roles: ['web'] }] },
  'silent-process': { processes: [first, { ...first, isSilent: true, fault: 'The disk is full.' }] },
  'worker-fault': { processes: [{ ...first, fault: 'The disk is full.' }] },
  versions: { processes: [first, { ...first, version: '1.1.0' }] },
  migrations: { database: { ...database, migrations: { applied: 1, missing: ['2027_x'] } } },
  'disk-low': { storage: { ...storage, free: [{ volume: 'media', bytes: 1e9 }] } },
  'media-damaged': { storage: { ...storage, faults: 1 } },
  'backups-off': { backups: { ...backups, isScheduled: false, isOverdue: true } },
  'backups-unproven': { backups: { ...backups, isOverdue: true } },
  'queue-old': { queue: { ...queue, videos: { ...queue.videos, oldest: 1_000 } } },
  'speech-fails': {
    queue: { ...queue, transcripts: { ...queue.transcripts, delayed: 2, oldest: 100_000, fault: 'The engine did not respond.' } },
  },
  'speech-old': { queue: { ...queue, transcripts: { ...queue.transcripts, due: 2, oldest: 30_000 } } },
  'webhooks-late': { queue: { ...queue, webhooks: { pending: 1, oldest: 400 } } },
  'jobs-late': { queue: { ...queue, jobs: [{ name: 'mail.send', waiting: 1, oldest: 700, failed: 0, lastError: null }] } },
  'jobs-failed': {
    queue: { ...queue, jobs: [{ name: 'mail.send', waiting: 0, oldest: 0, failed: 2, lastError: 'connect ECONNREFUSED' }] },
  },
  connections: { database: { ...database, connections: 95 } },
  'old-transaction': { database: { ...database, oldestTransaction: 900 } },
  'replica-behind': { database: { ...database, replicaBehind: null } },
  'limit-near': { limits: [{ setting: 'TOTAL_STORAGE_BYTES', title: 'Storage', unit: 'count', value: 100, used: 95 }] },
}

it('has no warning of a healthy installation, nor of requests that wait for an engine that is switched off', () => {
  expect(warningsOf(healthy)).toEqual([])
  const transcripts = { ...queue.transcripts, due: 2, oldest: 30_000 }
  expect(warningsOf({ ...healthy, queue: { ...queue, speech: { off: 'Speech to text is off.' }, transcripts } })).toEqual([])
})

it.each(Object.entries(CAUSES))('warns of %s, and says what to do', (id, cause) => {
  const found = warningsOf({ ...healthy, ...cause })
  expect(found.map((warning) => warning.id)).toEqual([id])
  expect(found[0]?.steps.length).toBeGreaterThan(0)
})

it('has a cause for every warning, the serious ones first, and names sections of the guides', () => {
  const all = warningsOf(Object.assign({ ...healthy }, ...Object.values(CAUSES)))
  expect(all.map(({ level }) => level)).toEqual(all.map(({ level }) => level).toSorted())
  const named = Object.values(CAUSES).flatMap((cause) => warningsOf({ ...healthy, ...cause }).map(({ guide }) => guide))
  const missing = named.filter((guide) => {
    const [name = '', section] = guide.split('#')
    const headings = readFileSync(`docs/${name}.md`, 'utf8').matchAll(/^## (.+)$/gm)
    return ![...headings].some(([, heading = '']) => heading.toLowerCase().replaceAll(' ', '-') === section)
  })
  expect(missing).toEqual([])
})
