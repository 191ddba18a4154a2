import { beforeEach, expect, it } from 'vitest'
import type { AccountCtx } from '../../context.ts'
import { db } from '../../platform/database.ts'
import { ProgramFailed } from '../../platform/ffmpeg.ts'
import { storage } from '../../platform/storage/storage.ts'
import { testDatabase } from '../../testing/database.ts'
import { expectLoggedErrors } from '../../testing/logs.ts'
import { makeAccount, makeVideo } from '../../testing/make.ts'
import { makeQueued } from '../../testing/transcode-rows.ts'
import { segmentKey } from '../videos/media-keys.ts'
import { attemptTask } from './attempt.ts'
import { isServiceFault } from './faults.ts'
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
  await db().$executeRaw`UPDATE transcode_queue SET plan = jsonb_set(plan, '{facts,frameRate}', ${rate}::jsonb) WHERE video_id = ${id}`
  return (await leaseNext(['video'])) as TranscodeLease
}
const attempt = (held: TranscodeLease, error: Error) =>
  attemptTask(held, new AbortController().signal, () => Promise.reject(error)).catch((thrown: Error) => expect(thrown).toBe(error))
const video = (id: string) => db().video.findUniqueOrThrow({ where: { id } })

const CRASH = new ProgramFailed('ffmpeg', 'SIGSEGV', '')
const FAILURE = new ProgramFailed('ffmpeg', 1, 'Conversion failed!')

it('a chunk on which the decoder crashes is tried three times', async () => {
  const held = await lease(1)
  await attempt(held, CRASH)
  expect(await video(held.videoId)).toMatchObject({ status: 'PROCESSING', failureReason: null })
  const where = { videoId_kind_position: { videoId: held.videoId, kind: 'video', position: 1 } }
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
    'Transcoding failed three times between 00:00:40 and 00:01:20 because of an internal error. Retry later. If it fails again, send the video id to your operator.',
    true,
  ],
])('the third failure of a chunk by %s names its place', async (_name, error, reason, ofService) => {
  const held = await lease(2)
  await attempt(held, error)
  expect(await video(held.videoId)).toMatchObject({ status: 'FAILED', failureReason: reason })
  expect(isServiceFault(reason)).toBe(ofService)
})

it.each([
  ['keeps its objects once they are the media of a video', true],
  ['removes its objects', false],
])('a worker that lost its lease on a row without a video %s', async (_name, isMedia) => {
  const held = { ...(await lease(0)), sealedKey: Buffer.from('sealed') }
  const { accountId } = await video(held.videoId)
  // As after an exchange (switch-source.ts): the row keeps the former media, and another row names its own.
  await db().video.update({ where: { id: held.videoId }, data: { status: 'COMPLETED' } })
  if (isMedia) await makeVideo({ accountId } as AccountCtx, { mediaId: held.videoId })
  const key = segmentKey(held.videoId, 'a'.repeat(32))
  await storage().put(key, Buffer.from('segment'))
  await attemptTask(held, new AbortController().signal, ({ written, onLost }) => {
    written.add(key)
    onLost()
    return Promise.reject(new Error('the lease is lost'))
  })
  expect((await storage().stat(key)) !== undefined).toBe(isMedia)
})
