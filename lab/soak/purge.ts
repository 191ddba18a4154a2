import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from '@playwright/test'
import pg from 'pg'
import type { AccountCtx } from '../../server/context.ts'
import { JOBS } from '../../server/jobs.ts'
import { deletionReceipt } from '../../server/modules/audit/receipts/deletions.ts'
import { deleteAccount } from '../../server/modules/identity/accounts/delete-account.ts'
import { pictureKey, segmentKey, sourceKey } from '../../server/modules/videos/media-keys.ts'
import { closeDb, db } from '../../server/platform/database/database.ts'
import { migrate } from '../../server/platform/database/migrate.ts'
import { notifications } from '../../server/platform/database/notifications.ts'
import { startQueue, stopQueue } from '../../server/platform/job-queue.ts'
import { startEmbeddedPostgres } from '../../server/platform/postgres/embedded.ts'
import { SERVICE_ROLE } from '../../server/platform/postgres/roles.ts'
import { buildContainer } from '../../server/services.ts'
import { makeAccount, makeKey } from '../../server/testing/make.ts'
import { startWorker, stopWorker } from '../../server/worker/worker.ts'

/**
 * Deletes an account of 100,000 videos with stored media: the request must return within seconds, and one worker must purge everything and
 * sign every receipt within the hour. SOAK_VIDEOS sets another number.
 */
const VIDEOS = Number(process.env.SOAK_VIDEOS ?? 100_000)
const REQUEST_MS = 3_000
const PURGE_MS = 3_600_000
const NAME = 'a'.repeat(32)

const idOf = (nr: number) => `vid_purge_${nr}`
const began = Date.now()
const print = (line: string) => console.log(`${((Date.now() - began) / 1000).toFixed(1).padStart(6)} s  ${line}`)

const dataDir = mkdtempSync(join(tmpdir(), 'reelgate-purge-'))
const postgres = await startEmbeddedPostgres({ dataDir })
try {
  buildContainer({
    DATABASE_URL: postgres.url,
    DATA_DIR: dataDir,
    REELGATE_SECRET: 'the secret of this trial, of no other use',
    BASE_URL: 'http://localhost',
    STORAGE_RESERVE_BYTES: '0',
    LOG_LEVEL: 'warn',
  })
  await migrate(postgres.ownerUrl, { service: SERVICE_ROLE })
  await notifications().start()
  await startQueue(JOBS)
  const ctx = await makeAccount()
  await makeKey(ctx)
  await seedRows(ctx)
  print(`created ${VIDEOS} videos with renditions, logs, views and events`)
  await seedMedia()
  print('stored three objects for each')
  await trial(ctx)
  print('passed')
} finally {
  await stopWorker()
  await stopQueue()
  await notifications().stop()
  await closeDb()
  await postgres.stop()
  rmSync(dataDir, { recursive: true, force: true })
}

async function trial(ctx: AccountCtx): Promise<void> {
  const asked = performance.now()
  await deleteAccount(ctx, { name: 'Test' })
  const requestMs = performance.now() - asked
  print(`the request took ${requestMs.toFixed(0)} ms`)
  await startWorker({ canTranscode: false })
  for (let due = { rows: VIDEOS, media: VIDEOS }; due.rows + due.media > 0; await wait(1_000)) {
    due = await remaining()
    if (Math.floor((performance.now() - asked) / 1_000) % 10 === 0) print(`${due.rows} videos and the media of ${due.media} are left`)
  }
  await expect.poll(() => db().account.count(), { timeout: 300_000 }).toBe(0)
  const purgeMs = performance.now() - asked
  print(`everything was purged after ${(purgeMs / 60_000).toFixed(1)} minutes: ${(VIDEOS / (purgeMs / 1_000)).toFixed(0)} videos a second`)
  const receipts = await db().deletion.count({ where: { kind: 'video.deletion', jws: { not: null } } })
  const account = await db().deletion.findFirstOrThrow({ where: { kind: 'account.deletion', subject: ctx.accountId } })
  expect([receipts, (await deletionReceipt(account.id)) !== undefined]).toEqual([VIDEOS, true])
  const left = await Promise.all(['sources', 'segments', 'pictures'].map((folder) => readdir(join(dataDir, 'media', folder))))
  expect(left.flat()).toEqual([])
  expect(requestMs).toBeLessThan(REQUEST_MS)
  expect(purgeMs).toBeLessThan(PURGE_MS)
}

async function remaining(): Promise<{ rows: number; media: number }> {
  const [rows, removed] = await Promise.all([
    db().video.count(),
    db().deletion.count({ where: { kind: 'video.deletion', verifiedAt: { not: null } } }),
  ])
  return { rows, media: VIDEOS - removed }
}

async function seedRows({ accountId }: AccountCtx): Promise<void> {
  const client = new pg.Client({ connectionString: postgres.ownerUrl })
  await client.connect()
  const videos = (columns: string, from: string) => `SELECT ${columns} FROM video, ${from} WHERE account_id = '${accountId}'`
  for (const statement of [
    `INSERT INTO video (id, account_id, title, status, duration_sec, target_quality, qualities, completed_at)
     SELECT 'vid_purge_' || n, '${accountId}', 'Clip ' || n, 'COMPLETED', 20, '360p', '{360p,240p}', now()
     FROM generate_series(1, ${VIDEOS}) n`,
    `INSERT INTO media (id, video_id, account_id, status, duration_sec, target_quality, qualities, source_key, source_name, source_bytes)
     SELECT id, id, account_id, status, duration_sec, target_quality, qualities, 'sources/' || id, 'clip.mp4', 64
     FROM video WHERE account_id = '${accountId}'`,
    `UPDATE video SET media_id = id WHERE account_id = '${accountId}'`,
    `INSERT INTO rendition (media_id, quality, width, height, bandwidth, average_bandwidth, codecs, frame_rate, bytes, segments)
     ${videos(`id, quality, 640, 360, 9, 9, 'avc1.64001f', 30, 64, '[]'`, `unnest('{360p,240p}'::text[]) AS quality`)}`,
    `INSERT INTO video_log (video_id, step, message)
     ${videos(`id, step, 'A line of the log.'`, `unnest('{upload,start,probe,encode,store,complete}'::text[]) AS step`)}`,
    `INSERT INTO webhook_event (id, account_id, type, dedupe_key, payload, created_at)
     SELECT 'evt_purge_' || n, '${accountId}', 'video.processing.completed', n, '{}', now() FROM generate_series(1, ${2 * VIDEOS}) n`,
    'ANALYZE',
  ])
    await client.query(statement)
  await client.end()
}

/** Writes the files of the disk storage directly: `put` would wait for the disk 300,000 times. */
async function seedMedia(): Promise<void> {
  const media = join(dataDir, 'media')
  mkdirSync(join(media, 'sources'), { recursive: true })
  const content = Buffer.alloc(64, 1)
  const numbers = Array.from({ length: VIDEOS }, (_, at) => idOf(at + 1)).values()
  const write = async () => {
    for (const id of numbers) {
      await writeFile(join(media, sourceKey(id)), content)
      for (const key of [segmentKey(id, NAME), pictureKey(id, NAME)]) {
        await mkdir(join(media, key, '../../scripts'), { recursive: true })
        await writeFile(join(media, key), content)
      }
    }
  }
  await Promise.all(Array.from({ length: 8 }, write))
}
