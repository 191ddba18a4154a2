import { beforeEach, expect, it } from 'vitest'
import { db } from '../../../platform/database/database.ts'
import { ProgramFailed } from '../../../platform/ffmpeg/ffmpeg.ts'
import { storage } from '../../../platform/storage/storage.ts'
import { testDatabase } from '../../../testing/database.ts'
import { expectLoggedErrors } from '../../../testing/logs.ts'
import { makeAccount } from '../../../testing/make.ts'
import { makeQueued } from '../../../testing/media/transcode-rows.ts'
import { segmentKey } from '../../videos/media-keys.ts'
import { isServiceFault } from '../faults.ts'
import { attemptTask } from './attempt.ts'
import type { TranscodeLease } from './lease.ts'
import { leaseNext } from './queue.ts'

await testDatabase()
expectLoggedErrors(/transcoding failed/)
beforeEach(() => db().account.deleteMany())

/** Returns the lease of the second chunk of a video, [40 s, 80 s), after this many failures. */
async function lease(failures: number): Promise<TranscodeLease> {
  const done = { startedAt: new Date(), doneAt: new Date() }
  const tasks = [
    { kind: 'video', position: 0, ...done },
    { kind: 'video', position: 1, failures },
    { kind: 'video', position: 2 },
  ]
  const id = await makeQueued(await makeAccount(), { tasks })
  const rate = '{"value": 25, "text": "25"}'
  await db().$executeRaw`UPDATE transcode_queue SET plan = jsonb_set(plan, '{facts,frameRate}', ${rate}::jsonb) WHERE media_id = ${id}`
  return (await leaseNext(['video'])) as TranscodeLease
}
const attempt = (held: TranscodeLease, error: Error) =>
  attemptTask(held, new AbortController().signal, () => Promise.reject(error)).catch((thrown: Error) => expect(thrown).toBe(error))
const media = (id: string) => db().media.findUniqueOrThrow({ where: { id } })

const CRASH = new ProgramFailed('ffmpeg', 'SIGSEGV', '')
const FAILURE = new ProgramFailed('ffmpeg', 1, 'Conversion failed!')

it('a chunk on which the decoder crashes is tried three times', async () => {
  const held = await lease(1)
  await attempt(held, CRASH)
  expect(await media(held.mediaId)).toMatchObject({ status: 'PROCESSING', failureReason: null })
  const where = { mediaId_kind_position: { mediaId: held.mediaId, kind: 'video', position: 1 } }
  expect(await db().transcodeTask.findUniqueOrThrow({ where })).toMatchObject({ failures: 2, cause: 'undecodable' })
})

it.each([
  ['a chunk', 'video', 9],
  ['a track, which lasts as long as three chunks', 'audio', 27],
] as const)('%s may lose some workers', async (_name, kind, most) => {
  const held = { ...(await lease(0)), kind }
  const begins = (losses: number) => attemptTask({ ...held, losses }, new AbortController().signal, () => Promise.resolve(true))
  expect([await begins(most), await begins(most + 1)]).toEqual([true, undefined])
})

it.each([
  ['a crash', CRASH, 'The file cannot be decoded between 00:00:40 and 00:01:20. Export it again and upload the new file.', false],
  [
    'another fault',
    FAILURE,
    'Transcoding failed three times between 00:00:40 and 00:01:20 because of an internal error. Retry later. If it fails again, send the video ID to your operator.',
    true,
  ],
])('the third failure of a chunk by %s names its place', async (_name, error, reason, ofService) => {
  const held = await lease(2)
  await attempt(held, error)
  expect(await media(held.mediaId)).toMatchObject({ status: 'FAILED', failureReason: reason })
  expect(isServiceFault(reason)).toBe(ofService)
})

it.each([
  ['complete media keeps its objects', 'COMPLETED', true],
  ['media that failed removes its objects', 'FAILED', false],
] as const)('a worker that lost its lease on %s', async (_name, status, isKept) => {
  const held = { ...(await lease(0)), sealedKey: Buffer.from('sealed') }
  await db().media.update({ where: { id: held.mediaId }, data: { status, contentKey: held.sealedKey } })
  const key = segmentKey(held.mediaId, 'a'.repeat(32))
  await storage().put(key, Buffer.from('segment'))
  await attemptTask(held, new AbortController().signal, ({ written, onLost }) => {
    written.add(key)
    onLost()
    return Promise.reject(new Error('the lease is lost'))
  })
  expect((await storage().stat(key)) !== undefined).toBe(isKept)
})
