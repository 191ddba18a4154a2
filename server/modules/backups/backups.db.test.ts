import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { AccountCtx } from '../../context.ts'
import { JOBS } from '../../jobs.ts'
import { openBackupStore } from '../../platform/backup/backup-place.ts'
import { listBackups, type Manifest, readManifest } from '../../platform/backup/manifest.ts'
import { readWhole } from '../../platform/backup/parts.ts'
import { restoreDatabase } from '../../platform/backup/restore-database.ts'
import { checkSecrets } from '../../platform/config/secret-fingerprints.ts'
import { db, pool, query } from '../../platform/database/database.ts'
import { migrate, missingMigrations } from '../../platform/database/migrate.ts'
import { startQueue, stopQueue } from '../../platform/job-queue.ts'
import { claimStorage } from '../../platform/storage/claim-storage.ts'
import { storage } from '../../platform/storage/storage.ts'
import { testDatabase } from '../../testing/database.ts'
import { expectLoggedErrors, logLines } from '../../testing/logs.ts'
import { makeAccount, makeKey, makeViewer } from '../../testing/make.ts'
import { emitMany, makeEndpoint } from '../../testing/make-endpoint.ts'
import { atFileEnd } from '../../testing/media/file-end.ts'
import { shortClip } from '../../testing/media/media-files.ts'
import { transcodedVideo } from '../../testing/media/transcoded.ts'
import { asRestored, prove, withEmptyDatabase } from '../../testing/prove-backup.ts'
import { provide } from '../../testing/settings.ts'
import { batchedQuota } from '../access/quotas/batched-grant.ts'
import { SERVICE } from '../audit/content-access.ts'
import { signReceipt } from '../audit/receipts/sign.ts'
import { closeAllHours } from '../billing/close-hours.ts'
import { giveCredit } from '../billing/credit.ts'
import { eraseViewer } from '../delivery/viewers/viewers.ts'
import { openOwnId } from '../identity/viewers/reference.ts'
import { putCaptions } from '../videos/captions/captions.ts'
import { saveDraft } from '../videos/captions/drafts.ts'
import { streamEvents } from '../webhooks/endpoints/stream.ts'
import { copyErasures } from './erasures.ts'
import { makeBackup } from './make-backup.ts'
import { restoreBackup } from './restore-backup.ts'

const { url } = await testDatabase()
expectLoggedErrors(/stored media is damaged/)
const folder = mkdtempSync(join(tmpdir(), 'reelgate-backups-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const { signal } = new AbortController()
const backUp = (mode: 'copy' | 'manifest' = 'copy', place = folder) => makeBackup({ place: { folder: place }, mode, keep: 7, signal })

const VTT = (text: string) => `WEBVTT\n\n00:00:01.000 --> 00:00:02.000\n${text}\n`

let owner: AccountCtx
let keyId: string
let videoId: string
let sourceId: string
/** Reference of a viewer who is not erased. */
let kept: string
let backup: Manifest
beforeAll(async () => {
  await checkSecrets({ adopt: true })
  await claimStorage()
  owner = await makeAccount()
  await db().account.update({ where: { id: owner.accountId }, data: { tier: 'PAID' } })
  await giveCredit({ ...owner, actor: { kind: 'operator' } }, { credits: 1_000_000n, reason: 'A start' })
  keyId = (await makeKey(owner)).id
  await take(40)
  videoId = await transcodedVideo(owner, await shortClip(), { targetQuality: '360p' })
  for (const text of ['One', 'Other']) await putCaptions(owner, { videoId, language: 'en', label: '', text: VTT(text) })
  await saveDraft(owner, { videoId, language: 'en', text: VTT('Draft'), revision: 0, basedOn: null })
  await makeEndpoint(owner, 'https://hooks.example.com/one')
  await emitMany(owner, 5)
  await query(
    '',
    `INSERT INTO traffic_day (account_id, day, key_id, operation, status, requests, latency) VALUES ($1, '2024-02-03', '', 'x', 200, 7, '{1}')`,
    [owner.accountId],
  )
  await makeReceipt()
  await makeViewer(owner, 'student-42')
  kept = await makeViewer(owner, 'student-43')
  sourceId = (await db().media.findUniqueOrThrow({ where: { id: videoId } })).sourceKey.slice('sources/'.length)
  backup = await backUp()
})

const take = (count: number) => Promise.all(Array.from({ length: count }, () => batchedQuota().take(keyId, owner.accountId)))

async function makeReceipt(): Promise<void> {
  const jws = await signReceipt(SERVICE, {
    id: 'rcp_1',
    kind: 'video.deletion',
    accountId: owner.accountId,
    subject: 'vid_gone',
    facts: {},
  })
  const values = ['rcp_1', owner.accountId, 'vid_gone', jws]
  await query(
    '',
    `INSERT INTO deletion (id, account_id, kind, subject, deleted_at, rows, jws) VALUES ($1, $2, 'video.deletion', $3, now(), '{}', $4)`,
    values,
  )
}

/** Tables that a restore fills itself, or whose rows differ because time passes. */
const OWN = ['_prisma_migrations', 'routine_checksum', 'installation', 'backup', 'backup_drill', 'process', 'unfinished_restore']

/** Returns the number and the hash of the rows of each table, and the next values of the sequences. */
async function contents(on: Pick<pg.ClientBase, 'query'>): Promise<Record<string, string>> {
  const { rows: tables } = await on.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND relname <> ALL ($1)
       AND relpersistence = 'p' AND EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0)`,
    [OWN],
  )
  const found: Record<string, string> = {}
  for (const { name } of tables) {
    const sums = `SELECT count(*) || ' ' || coalesce(md5(string_agg(t::text, E'\\n' ORDER BY t::text)), '') AS sum FROM ${name} t`
    found[name] = (await on.query<{ sum: string }>(sums)).rows[0]?.sum ?? ''
  }
  const { rows } = await on.query<{ name: string; value: string }>(
    `SELECT sequencename AS name, coalesce(last_value::text, 'unused') AS value FROM pg_sequences WHERE schemaname = 'public'`,
  )
  return { ...found, ...Object.fromEntries(rows.map(({ name, value }) => [name, value])) }
}

/** A copy of the place of the backup, to damage. */
function copyOfPlace(): string {
  const copy = mkdtempSync(join(tmpdir(), 'reelgate-damaged-'))
  atFileEnd(() => rmSync(copy, { recursive: true, force: true }))
  cpSync(folder, copy, { recursive: true })
  return copy
}

function flip(path: string): void {
  const bytes = readFileSync(path)
  const at = Math.floor(bytes.length / 2)
  bytes[at] = (bytes[at] as number) ^ 0x01
  writeFileSync(path, bytes)
}

const pathIn = (place: string, key: string) => join(place, key)
const partOf = (table: string) => backup.database.tables.find(({ name }) => name === table)?.parts[0]?.key ?? ''
const segmentsIn = (place: string) =>
  readdirSync(join(place, 'media/segments', videoId)).map((name) => join(place, 'media/segments', videoId, name))
const problems = ({ faults }: Awaited<ReturnType<typeof prove>>) => faults.map(({ check, problem }) => `${check}: ${problem}`)

it('restores every table, sequence, partition and foreign key', async () => {
  await withEmptyDatabase(async (empty) => {
    await restoreDatabase(await openBackupStore({ folder }), backup.database, empty, { signal })
    const restored = new pg.Client({ connectionString: empty })
    await restored.connect()
    try {
      // A restore makes the partitions of the days that follow; the template of the tests may be of an earlier day.
      await query('make-partitions', 'SELECT make_partitions()', [])
      expect(await contents(restored)).toEqual(await contents(pool()))
      const definitions = `SELECT conrelid::regclass::text AS table, conname, pg_get_constraintdef(oid) FROM pg_constraint
        WHERE connamespace = 'public'::regnamespace ORDER BY 1, 2`
      expect((await restored.query(definitions)).rows).toEqual((await pool().query(definitions)).rows)
      const triggers = `SELECT tgrelid::regclass::text AS table, tgname, tgenabled FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1, 2`
      expect((await restored.query(triggers)).rows).toEqual((await pool().query(triggers)).rows)
    } finally {
      await restored.end()
    }
  })
})

it('has captions with their versions and drafts', () => {
  const extras = join(folder, 'media/extras', videoId)
  const texts = readdirSync(extras).map((name) => readFileSync(join(extras, name), 'utf8'))
  expect(texts.sort()).toEqual(['Draft', 'One', 'Other'].map(VTT))
})

it('refuses to restore into a database in use', async () => {
  await expect(restoreDatabase(await openBackupStore({ folder }), backup.database, url, { signal })).rejects.toThrow('is not empty')
})

describe('a restore', () => {
  const restoreFrom = async (place: string, url: string) =>
    restoreBackup({ place: await openBackupStore({ folder: place }), manifest: backup, url, signal })

  it('that failed leaves a database on which no service starts, and can be repeated', { tags: ['deep'] }, async () => {
    const place = copyOfPlace()
    flip(pathIn(place, partOf('ledger_entry')))
    await withEmptyDatabase((empty) =>
      asRestored(empty, {}, async () => {
        await expect(restoreFrom(place, empty)).rejects.toThrow('does not match the content that the backup recorded')
        await expect(migrate(empty)).rejects.toThrow('a restore into this database did not finish')
        await expect(missingMigrations(empty)).rejects.toThrow('a restore into this database did not finish')
        expect(await restoreFrom(folder, empty)).toEqual({ objects: 0, faults: [] })
        expect((await migrate(empty)).migrations).toEqual([])
        expect((await readWhole(storage(), 'installation')).toString()).toBe(backup.installation)
        await expect(restoreFrom(folder, empty)).rejects.toThrow('The database is not empty')
      }),
    )
  })

  it('whose rows are there is finished, and not with those of another backup', { tags: ['deep'] }, async () => {
    await withEmptyDatabase((empty) =>
      asRestored(empty, {}, async () => {
        await restoreFrom(folder, empty)
        await query('', 'CREATE TABLE unfinished_restore AS SELECT $1 AS backup_id, true AS has_rows', ['bkp_other'])
        await expect(restoreFrom(folder, empty)).rejects.toThrow('--backup bkp_other')
        await query('', 'UPDATE unfinished_restore SET backup_id = $1', [backup.id])
        const before = await contents(pool())
        await restoreFrom(folder, empty)
        expect(await contents(pool())).toEqual(before)
        await migrate(empty)
      }),
    )
  })

  it('erases viewers again who were erased after the backup, and ends the sessions that they had', { tags: ['deep'] }, async () => {
    await startQueue(JOBS)
    provide({ BACKUP_URL: folder })
    const { receipt } = await eraseViewer(owner, { viewerId: 'student-42' })
    await copyErasures(signal)
    provide({ BACKUP_URL: undefined })
    await stopQueue()
    const left = `SELECT (SELECT count(*)::int FROM viewer) AS viewers, (SELECT count(*)::int FROM deletion WHERE subject = $1) AS erasures,
      (SELECT ended_number > $2::bigint FROM deletion WHERE subject = $1) AS ended`
    const [{ number } = { number: '' }] = await query<{ number: string }>(
      '',
      'SELECT last_playback_end::text AS number FROM installation',
      [],
    )
    await withEmptyDatabase((empty) =>
      asRestored(empty, {}, async () => {
        const erasures = [await openBackupStore({ folder })]
        writeFileSync(join(folder, 'erasures/rcp_cut.json'), '{"id":"rcp_c')
        const { faults } = await restoreBackup({ place: await openBackupStore({ folder }), manifest: backup, url: empty, erasures, signal })
        expect(faults.map(({ key }) => key)).toEqual(['erasures/rcp_cut.json'])
        expect(await query('', left, [receipt.receipt.sub, number])).toEqual([{ viewers: 1, erasures: 1, ended: true }])
        expect(openOwnId(kept, (await db().viewer.findFirstOrThrow()).ownId)).toBe('student-43')
      }),
    )
    await query('', 'DELETE FROM deletion WHERE subject = $1', [receipt.receipt.sub])
  })

  it('names damaged objects, and restores all others', { tags: ['deep'] }, async () => {
    const place = copyOfPlace()
    const [lost, flipped] = segmentsIn(place) as [string, string]
    rmSync(lost)
    flip(flipped)
    const nameOf = (path: string) => path.slice(path.indexOf('/segments/') + 1)
    await withEmptyDatabase((empty) =>
      asRestored(empty, {}, async () => {
        const { objects, faults } = await restoreFrom(place, empty)
        expect(faults.map(({ problem }) => problem).sort()).toEqual(
          [
            `${nameOf(lost)} of ${videoId} is missing`,
            `${nameOf(flipped)} of ${videoId} does not match the content that the backup recorded`,
          ].sort(),
        )
        expect(objects).toBe(backup.media.objects - 2)
      }),
    )
  })
})

it('proves a whole backup: every row, object and segment', { tags: ['deep'] }, async () => {
  const proof = await prove(folder, backup.id)
  expect(problems(proof)).toEqual([])
  expect(proof).toMatchObject({ passed: true, figures: { videos: 1, ledgerEntries: 1, receipts: 1, objects: backup.media.objects } })
  expect(proof.figures.segments).toBe(segmentsIn(folder).length)
  expect(proof.figures.auditEntries).toBeGreaterThan(0)
  expect(proof.figures.secrets).toBeGreaterThanOrEqual(3)
})

it('copies each object once', async () => {
  const place = copyOfPlace()
  const second = await backUp('copy', place)
  expect(second.media).toMatchObject({ objects: backup.media.objects, bytes: backup.media.bytes, copied: { objects: 0, bytes: 0 } })
})

it('reads one snapshot while tokens are issued and paid for', { tags: ['deep'] }, async () => {
  let running = true
  const traffic = (async () => {
    while (running) {
      await take(10)
      await closeAllHours()
    }
  })()
  const place = copyOfPlace()
  const { id } = await backUp('copy', place)
  running = false
  await traffic
  const proof = await prove(place, id, { segments: 1 })
  expect(problems(proof)).toEqual([])
})

describe('the drill fails for', { tags: ['deep'] }, () => {
  const damaged = async (damage: (place: string) => unknown, given: Parameters<typeof prove>[2] = {}) => {
    const place = copyOfPlace()
    await damage(place)
    return problems(await prove(place, backup.id, given))
  }

  it('another root secret', async () => {
    const found = await damaged(() => {}, { REELGATE_SECRET: 'another secret than that of the backup, as long as it' })
    expect(found).toEqual([expect.stringMatching(/^manifest: REELGATE_SECRET .*is not the secret/)])
  })

  it('an edited manifest', async () => {
    const found = await damaged((place) => {
      const path = pathIn(place, `backups/${backup.id}/manifest.json`)
      writeFileSync(path, readFileSync(path, 'utf8').replace('"objects": ', '"objects": 1'))
    })
    expect(found).toEqual(['manifest: the manifest was changed: its signature does not match its content'])
  })

  it('a backup that was interrupted', async () => {
    const found = await damaged((place) => rmSync(pathIn(place, `backups/${backup.id}/signature`)))
    expect(found).toEqual([`manifest: backups/${backup.id}/signature is missing`])
  })

  it('a flipped bit in the dump', async () => {
    const found = await damaged((place) => flip(pathIn(place, partOf('ledger_entry'))))
    expect(found).toEqual([`database: ${partOf('ledger_entry')} does not match the content that the backup recorded`])
  })

  it('a truncated dump', async () => {
    const found = await damaged((place) => {
      const path = pathIn(place, partOf('video'))
      writeFileSync(path, readFileSync(path).subarray(0, -7))
    })
    expect(found).toEqual([expect.stringMatching(/^database: .*video.* has \d+ bytes instead of \d+$/)])
  })

  it('a lost part of the dump', async () => {
    const found = await damaged((place) => rmSync(pathIn(place, partOf('account'))))
    expect(found).toEqual([`database: ${partOf('account')} is missing`])
  })

  it('lost and changed media, object by object', async () => {
    const found = await damaged((place) => {
      const [lost, flipped, shortened] = segmentsIn(place) as [string, string, string]
      rmSync(lost)
      flip(flipped)
      writeFileSync(shortened, readFileSync(shortened).subarray(0, -1))
      rmSync(join(place, 'media/sources'), { recursive: true })
    })
    const [lost, flipped, shortened] = segmentsIn(folder).map((path) => path.slice(path.lastIndexOf('/') + 1, -'.ts'.length))
    expect(found).toEqual(
      expect.arrayContaining([
        `media: segments/${videoId}/${lost}.ts of ${videoId} is missing`,
        expect.stringMatching(new RegExp(`^media: segments/${videoId}/${shortened}.ts of ${videoId} has \\d+ bytes instead of \\d+$`)),
        `media: sources/${sourceId} of ${videoId} is missing`,
        `media: segments/${videoId}/${flipped}.ts of ${videoId} does not match the content that the backup recorded`,
      ]),
    )
    expect(found.filter((fault) => fault.startsWith('media: '))).toHaveLength(4)
    expect(found.filter((fault) => fault.startsWith('playback: '))).toHaveLength(3)
  })
})

it('finds what was wrong before the backup: ledger, counters, audit log, receipts, each secret, media that is only listed', {
  tags: ['deep'],
}, async () => {
  // As the owner of the tables could, without the triggers that refuse it.
  const change = (by: '+' | '-') => {
    const longer = (column: string) => (by === '+' ? `${column} || 'x'` : `substring(${column} FROM 1 FOR length(${column}) - 1)`)
    return `
      UPDATE ledger_entry SET amount = amount ${by} 1 WHERE seq = 1;
      UPDATE storage_count SET original_bytes = original_bytes ${by} 1;
      UPDATE key_day SET issued = issued ${by === '+' ? '-' : '+'} 1 WHERE day = (SELECT max(day) FROM key_day);
      UPDATE audit_entry SET actor = ${by === '+' ? `'x' || actor` : 'substring(actor FROM 2)'};
      UPDATE deletion SET jws = ${by === '+' ? `'x' || jws` : 'substring(jws FROM 2)'};
      UPDATE media SET content_key = ${longer('content_key')};
      UPDATE webhook_endpoint SET secret = ${longer('secret')}, previous_secret = ${by === '+' ? `'x'` : 'NULL'};
      UPDATE receipt_key SET private_key = ${longer('private_key')};
      UPDATE app_user SET totp_secret = ${by === '+' ? `'x'` : 'NULL'}`
  }
  const key = `segments/${videoId}/${segmentsIn(folder)[0]?.slice(-35)}`
  const content = await readWhole(storage(), key)
  const logged = logLines()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('SET session_replication_role = replica')
    await client.query(change('+'))
    const place = copyOfPlace()
    rmSync(join(place, 'media'), { recursive: true })
    await storage().delete(key)
    const { id } = await backUp('manifest', place)
    expect(logged).toContainEqual(expect.objectContaining({ damaged: [`${key} is missing`] }))
    const { accountId } = owner
    const [charges] = await query<{ tokens: number }>('', 'SELECT sum(tokens)::int AS tokens FROM charge_hour', [])
    const charged = charges?.tokens ?? 0
    expect(problems(await prove(place, id, { segments: 1 }))).toEqual([
      `ledger: entry 1 of ${accountId}: its hash does not match its content: it was changed`,
      `counters: the stored bytes or videos counted for ${accountId} do not match its rows`,
      `counters: ${charged} tokens of ${keyId} were charged, and ${charged - 1} were issued`,
      expect.stringMatching(new RegExp(`^audit: entry \\d+ of ${accountId}: the entry or a hash was changed$`)),
      'receipts: the receipt rcp_1 does not verify',
      ...[
        'media.content_key',
        'app_user.totp_secret',
        'webhook_endpoint.secret',
        'webhook_endpoint.previous_secret',
        'receipt_key.private_key',
      ].map((column) => `secrets: 1 secrets in ${column} cannot be opened`),
      expect.stringMatching(`^playback: ${videoId} cannot be played: `),
      `media: ${key} of ${videoId} was missing when the backup was made`,
    ])
  } finally {
    await storage().put(key, content)
    await client.query(change('-'))
    await client.end()
  }
})

/** Returns the page of so many events; transactions of other databases on the server delay the last ones. */
const eventsAfter = (cursor: string, count: number) =>
  vi.waitFor(async () => {
    const page = await streamEvents(owner, { cursor, wait: 0, limit: 10 })
    expect(page.events).toHaveLength(count)
    return page
  })

it('continues positions of the event stream: clients get every event once, and new ones after a restore', { tags: ['deep'] }, async () => {
  const { position } = await streamEvents(owner, { wait: 0, limit: 10 })
  await emitMany(owner, 2)
  const place = copyOfPlace()
  const { database } = await backUp('copy', place)
  await withEmptyDatabase(async (empty) => {
    // As on a server that has counted fewer transactions.
    const ahead = { ...database, nextTransaction: String(BigInt(database.nextTransaction) + 5_000_000_000n) }
    await restoreDatabase(await openBackupStore({ folder: place }), ahead, empty, { signal })
    await asRestored(empty, {}, async () => {
      const page = await eventsAfter(position, 2)
      const [added] = await emitMany(owner, 1)
      const next = await eventsAfter(page.position, 1)
      expect(next.events.map(({ eventId }) => eventId)).toEqual([added])
      expect(BigInt(next.position.split('.')[0] as string)).toBeGreaterThan(BigInt(ahead.nextTransaction))
    })
  })
})

it('keeps the newest backups, and removes the media of videos that none of them has', async () => {
  const place = copyOfPlace()
  writeFileSync(join(place, 'media/segments/vid_purged.ts'), '')
  rmSync(join(place, 'media/segments/vid_purged.ts'))
  cpSync(join(place, 'media/segments', videoId), join(place, 'media/segments/vid_purged'), { recursive: true })
  cpSync(join(place, 'backups', backup.id), join(place, 'backups/bkp_20200101T000000Z_partial'), { recursive: true })
  rmSync(join(place, 'backups/bkp_20200101T000000Z_partial/signature'))
  const { id } = await makeBackup({ place: { folder: place }, mode: 'copy', keep: 1, signal })
  const store = await openBackupStore({ folder: place })
  expect(await listBackups(store)).toEqual({ whole: [id], partial: [] })
  expect(readdirSync(join(place, 'media/segments'))).toEqual([videoId])
  expect((await readManifest(store, id)).manifest.media.objects).toBe(backup.media.objects)
})

it('counts backups as removed once they are gone, also after an interruption', async () => {
  const place = mkdtempSync(join(folder, 'gone-'))
  const { id } = await backUp('manifest', place)
  rmSync(join(place, 'backups', id), { recursive: true })
  const next = await backUp('manifest', place)
  const found = await db().backup.findMany({ where: { id: { in: [id, next.id] } }, orderBy: { startedAt: 'asc' } })
  expect(found.map(({ removedAt }) => removedAt !== null)).toEqual([true, false])
})

it('counts a backup as complete when older ones cannot be removed', async () => {
  const place = mkdtempSync(join(folder, 'kept-'))
  const old = await backUp('manifest', place)
  const damaged = await backUp('manifest', place)
  writeFileSync(join(place, 'backups', damaged.id, 'manifest.json'), '{}')
  const failing = makeBackup({ place: { folder: place }, mode: 'manifest', keep: 2, signal })
  await expect(failing).rejects.toThrow(/^The backup bkp_\w+ is complete, but older ones could not be removed: the manifest/)
  const last = await db().backup.findFirstOrThrow({ orderBy: { startedAt: 'desc' } })
  expect([last.finishedAt !== null, last.failedAt, last.failure]).toEqual([true, null, null])
  expect(await db().backup.findUniqueOrThrow({ where: { id: old.id } })).toMatchObject({ removedAt: expect.any(Date) })
})

it('keeps the media of a video whose source was replaced, which is under another id', async () => {
  const place = copyOfPlace()
  for (const prefix of ['segments', 'pictures'])
    for await (const key of storage().list(`${prefix}/${videoId}/`)) {
      const parts: Uint8Array[] = []
      for await (const part of storage().read(key)) parts.push(Uint8Array.from(part))
      await storage().put(key.replace(videoId, 'vid_replacement'), Buffer.concat(parts))
    }
  const further = (table: string, column: string) =>
    query(
      `test-further-${table}`,
      `INSERT INTO ${table} SELECT (jsonb_populate_record(t, '{"${column}": "vid_replacement"}')).* FROM ${table} t WHERE ${column} = $1`,
      [videoId],
    )
  await further('media', 'id')
  await further('rendition', 'media_id')
  await db().video.update({ where: { id: videoId }, data: { mediaId: 'vid_replacement' } })
  await makeBackup({ place: { folder: place }, mode: 'copy', keep: 1, signal })
  expect(readdirSync(join(place, 'media/segments'))).toContain('vid_replacement')
})
