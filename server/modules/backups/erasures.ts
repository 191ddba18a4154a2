import type pg from 'pg'
import { z } from 'zod'
import { readWhole } from '../../platform/backup/parts.ts'
import { env } from '../../platform/config/config.ts'
import { pool, query } from '../../platform/database/database.ts'
import { log } from '../../platform/observe/log.ts'
import { installationId } from '../../platform/storage/installation-marker.ts'
import { storage } from '../../platform/storage/storage.ts'
import type { Storage } from '../../platform/storage/storage-port.ts'
import { openOwnPlace } from './retention.ts'

/** Objects that outlive the database, one for each erasure of a viewer, by the ID of its receipt. None names the person. */
const ERASURES = 'erasures/'
const keyOf = (id: string) => `${ERASURES}${id}.json`
const idOf = (key: string): string | undefined => /^erasures\/(\w+)\.json$/.exec(key)?.[1]
const BATCH = 100

const erasureObject = z.object({
  id: z.string(),
  accountId: z.string(),
  /** Reference of the viewer. */
  subject: z.string(),
  deletedAt: z.iso.datetime(),
  rows: z.record(z.string(), z.number()),
  jws: z.string(),
})

/** Yields where erasures survive the loss of the database: the media storage, and the place of the backups, if there is one. */
async function* erasureStores(): AsyncGenerator<Storage> {
  yield storage()
  const { BACKUP_URL } = env()
  const installation = installationId()
  if (BACKUP_URL && installation) yield await openOwnPlace(BACKUP_URL, installation)
}

/** Copies erasures of viewers to where they survive the loss of the database. Runs as the job `erasure.copy`. */
export async function copyErasures(signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted()
    const rows = await query<{ id: string; erasure: object }>('erasures-to-copy', UNCOPIED, [BATCH])
    if (rows.length === 0) return
    for await (const store of erasureStores())
      for (const { id, erasure } of rows) await store.put(keyOf(id), Buffer.from(`${JSON.stringify(erasure)}\n`))
    await query('erasures-copied', 'UPDATE deletion SET copied_at = service_clock() WHERE id = ANY ($1)', [rows.map(({ id }) => id)])
  }
}

const UNCOPIED = `
  SELECT id, json_build_object('id', id, 'accountId', account_id, 'subject', subject, 'deletedAt',
      to_char(deleted_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'rows', rows, 'jws', jws) AS erasure
  FROM deletion WHERE kind = 'viewer.erasure' AND copied_at IS NULL ORDER BY deleted_at LIMIT $1`

/** Repeats erasures that the database does not know, as after a restore by other means. Runs as the job `erasure.repeat`. */
export async function repeatLostErasures(signal: AbortSignal): Promise<void> {
  let repeated = 0
  const damaged: string[] = []
  for await (const store of erasureStores()) {
    const found = await repeatErasures(pool(), store, signal)
    repeated += found.repeated
    damaged.push(...found.damaged)
  }
  if (repeated > 0) log().warn({ repeated }, 'erased viewers again whose erasure the database did not know')
  if (damaged.length > 0)
    log().error({ damaged }, 'stored erasures are damaged; the viewers they name are erased again only if another copy is intact')
}

/**
 * Erases viewers again whose erasure is in a store and not in the database, which was restored to an earlier time, and lets no session that
 * is open now bring them back. Spares viewers who came back after the erasure. Returns how many erasures it repeated, and the keys of those
 * that are damaged, which do not hold up the others.
 */
export async function repeatErasures(
  on: Pick<pg.ClientBase, 'query'>,
  store: Storage,
  signal: AbortSignal,
): Promise<{ repeated: number; damaged: string[] }> {
  let repeated = 0
  const damaged: string[] = []
  for await (const keys of batches(store.list(ERASURES))) {
    signal.throwIfAborted()
    const { rows: lost } = await on.query<{ id: string }>(LOST, [keys.flatMap((key) => idOf(key) ?? [])])
    const read = await Promise.all(lost.map(async ({ id }) => ({ id, erasure: parseErasure(await readWhole(store, keyOf(id))) })))
    const erasures = read.flatMap(({ erasure }) => erasure ?? [])
    for (const { id, erasure } of read) if (!erasure) damaged.push(keyOf(id))
    if (erasures.length > 0) await on.query(REPEAT, [JSON.stringify(erasures)])
    repeated += erasures.length
  }
  return { repeated, damaged }
}

function parseErasure(content: Buffer): z.output<typeof erasureObject> | undefined {
  try {
    return erasureObject.parse(JSON.parse(content.toString()))
  } catch {
    return undefined
  }
}

async function* batches(keys: AsyncIterable<string>): AsyncGenerator<string[]> {
  let batch: string[] = []
  for await (const key of keys)
    if (batch.push(key) === BATCH) {
      yield batch
      batch = []
    }
  if (batch.length > 0) yield batch
}

const LOST = 'SELECT id FROM unnest($1::text[]) AS stored(id) WHERE NOT EXISTS (SELECT FROM deletion d WHERE d.id = stored.id)'

/** Sessions that opened after the restored time carry numbers that the database no longer knows. */
const ANY_NUMBER = '9223372036854775807'

const REPEAT = `
  WITH given AS (
    SELECT * FROM jsonb_to_recordset($1::jsonb)
      AS g(id text, "accountId" text, subject text, "deletedAt" timestamptz, rows jsonb, jws text)),
  recorded AS (
    INSERT INTO deletion (id, account_id, kind, subject, deleted_at, purged_at, verified_at, rows, jws, ended_number)
    SELECT id, "accountId", 'viewer.erasure', subject, "deletedAt", "deletedAt", "deletedAt", rows, jws, ${ANY_NUMBER} FROM given
    ON CONFLICT (id) DO NOTHING),
  gone AS (
    SELECT viewer.id, viewer.account_id FROM viewer JOIN given ON viewer.id = given.subject AND viewer.first_seen_at <= given."deletedAt"),
  logged AS (
    DELETE FROM request_log WHERE token_id IN (SELECT s.token_id FROM viewer_session s JOIN gone ON gone.id = s.viewer_id)),
  refused AS (
    DELETE FROM request_log r USING gone WHERE r.account_id = gone.account_id AND r.status >= 400 AND r.viewer_id = gone.id)
  DELETE FROM viewer USING gone WHERE viewer.id = gone.id`
