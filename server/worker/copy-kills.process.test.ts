import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { JOBS } from '../jobs.ts'
import { db } from '../platform/database/database.ts'
import { startQueue, stopQueue } from '../platform/job-queue.ts'
import { testDatabase } from '../testing/database.ts'
import { makeAccount } from '../testing/make.ts'
import { numberedFrames } from '../testing/media/chunked.ts'
import { makeMediaFile } from '../testing/media/media-files.ts'
import { startWorkerProcess } from '../testing/services/worker-process.ts'
import { pendingVideo } from '../testing/upload.ts'

await testDatabase()
/** Key of the advisory lock that a worker waits for before it ends a copy. */
const LOCK = 59

beforeAll(async () => {
  await startQueue(JOBS)
  await db().$executeRawUnsafe(`CREATE FUNCTION hold_copy() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    PERFORM pg_advisory_xact_lock(${LOCK}); RETURN NEW; END $$`)
  await db().$executeRawUnsafe(`CREATE TRIGGER hold_copy BEFORE UPDATE ON transcode_task FOR EACH ROW
    WHEN (NEW.kind = 'copy' AND NEW.done_at IS NOT NULL AND OLD.done_at IS NULL) EXECUTE FUNCTION hold_copy()`)
  // Tasks are deleted when their video is complete.
  await db().$executeRawUnsafe('CREATE TABLE copy_lease (video_id TEXT, lease_id UUID)')
  await db().$executeRawUnsafe(`CREATE FUNCTION log_copy() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO copy_lease VALUES (NEW.media_id, NEW.lease_id); RETURN NULL; END $$`)
  await db().$executeRawUnsafe(`CREATE TRIGGER log_copy AFTER UPDATE ON transcode_task FOR EACH ROW
    WHEN (NEW.kind = 'copy' AND NEW.lease_id IS NOT NULL AND NEW.lease_id IS DISTINCT FROM OLD.lease_id) EXECUTE FUNCTION log_copy()`)
})
afterAll(stopQueue)

/** Queues an unencrypted video, whose segments are named by what they show. */
async function queued(): Promise<string> {
  const clip = await makeMediaFile('copied-kill.mp4', [
    ...numberedFrames('10', 12),
    ...['-vf', 'scale=640:360:flags=neighbor,setsar=1', '-c:v', 'libx264', '-preset', 'ultrafast', '-g', '40', '-pix_fmt', 'yuv420p'],
  ])
  return pendingVideo(await makeAccount(), clip, { encrypted: false })
}

const findCopy = (videoId: string) => db().transcodeTask.findFirst({ where: { mediaId: videoId, kind: 'copy' } })

/** Waits until a video is complete. Returns its lists of segments. */
async function completed(id: string): Promise<unknown[]> {
  const isComplete = async () =>
    expect(await db().media.findUniqueOrThrow({ where: { id } })).toMatchObject({ status: 'COMPLETED', failureReason: null })
  await vi.waitFor(isComplete, { timeout: 300_000, interval: 50 })
  const { renditions } = await db().media.findUniqueOrThrow({ where: { id }, include: { renditions: { orderBy: { height: 'desc' } } } })
  return renditions.map(({ segments }) => segments)
}
const leases = (videoId: string) => db().$queryRaw<unknown[]>`SELECT 1 FROM copy_lease WHERE video_id = ${videoId}`

it('a copy whose worker is killed is begun again, with the same segments', async () => {
  const id = await queued()
  let killed: Awaited<ReturnType<typeof findCopy>> = null
  await db().$transaction(
    async (tx) => {
      await tx.$executeRawUnsafe(`SELECT pg_advisory_xact_lock(${LOCK})`)
      const worker = await startWorkerProcess('worker')
      const isHeld = async () => {
        const waiting = await db().$queryRaw<
          unknown[]
        >`SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = ${LOCK}::oid AND NOT granted`
        expect(waiting).toHaveLength(1)
      }
      await vi.waitFor(isHeld, { interval: 20 })
      await worker.kill()
      killed = await findCopy(id)
    },
    { timeout: 180_000 },
  )
  expect(killed).toMatchObject({ doneAt: null, losses: 0 })
  const second = await startWorkerProcess('worker')
  const lists = await completed(id)
  expect(await leases(id)).toHaveLength(2)
  expect(lists).toHaveLength(2)
  expect(lists).toEqual(await completed(await queued()))
  await second.kill()
})
