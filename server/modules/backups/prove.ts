import { BackupFault } from '../../platform/backup/backup-fault.ts'
import { checkSignature, type Manifest, readManifest } from '../../platform/backup/manifest.ts'
import { checkSecretsOf, OtherSecretsError } from '../../platform/config/secret-fingerprints.ts'
import { query } from '../../platform/database/database.ts'
import { openAll } from '../../platform/database/reseal.ts'
import { storage } from '../../platform/storage/storage.ts'
import type { Storage } from '../../platform/storage/storage-port.ts'
import { SEALED_SIGNING_KEYS } from '../audit/receipts/signing-keys.ts'
import { verifyStoredReceipts } from '../audit/receipts/verify-stored.ts'
import { verifyAudit } from '../audit/verify-chain.ts'
import { exportLedger } from '../billing/export-ledger.ts'
import { Verifier } from '../billing/verify-ledger.ts'
import { SEALED_TOTP } from '../identity/sign-in/totp.ts'
import { SEALED_VIEWER_KEY, SEALED_VIEWERS } from '../identity/viewers/reference.ts'
import { SEALED_CONTENT_KEYS } from '../transcoding/encode/content-key.ts'
import { SEALED_IMPORT_URLS } from '../uploads/import/import-rows.ts'
import { segmentKey } from '../videos/media-keys.ts'
import { SEALED_SECRETS } from '../webhooks/endpoints/secrets.ts'
import type { MediaLine } from './media-list.ts'
import { playSegments, type SampledSegment } from './play-segments.ts'
import { type Restored, restoreBackup } from './restore-backup.ts'
import { copiesIn } from './retention.ts'
import { sampleSegments } from './sample-segments.ts'
import type { DrillCheck, DrillFault, DrillFigures } from './state.ts'
import { verifyMedia } from './verify-media.ts'

/** The result of a drill. */
export interface Proof {
  backupId: string
  snapshotAt: string | null
  passed: boolean
  faults: DrillFault[]
  figures: DrillFigures
}

interface Options {
  backupId: string
  /** Where the backup is. */
  place: Storage
  /** An empty database, which this process's settings point to. */
  url: string
  /** Gives this process an empty media storage or, for a backup that only lists media, the installation's. */
  selectMedia: (mode: Manifest['media']['mode']) => void
  segments: number
  signal: AbortSignal
}

/** How many faults of one check are kept. */
const KEPT = 50

/**
 * Verifies a backup by restoring it into an empty installation, with a sample of the media, and checking everything that a restored one
 * needs. Runs in its own process, whose settings point to the throwaway database. Rejects if the drill itself could not run.
 */
export async function proveBackup(options: Options): Promise<Proof> {
  const startedAt = performance.now()
  const drill = new Drill(options)
  await drill.run()
  const { faults, figures } = drill
  figures.seconds = Math.round((performance.now() - startedAt) / 100) / 10
  return {
    backupId: options.backupId,
    snapshotAt: drill.manifest?.database.snapshotAt ?? null,
    passed: faults.length === 0,
    faults,
    figures,
  }
}

/** Selects the sampled segments of each video and, for a video with any, its pictures and texts. */
function selectOf(sample: readonly SampledSegment[]): (line: MediaLine) => MediaLine['objects'] {
  const keys = new Set(sample.map(({ mediaId, name }) => segmentKey(mediaId, name)))
  const videos = new Set(sample.map(({ videoId }) => videoId))
  const isSmall = (key: string) => !/^(segments|sources)\//.test(key)
  return ({ video, objects }) => objects.filter(({ key }) => keys.has(key) || (videos.has(video) && isSmall(key)))
}

class Drill {
  readonly faults: DrillFault[] = []
  readonly figures: DrillFigures = {
    ...{ seconds: 0, tables: 0, rows: 0, ledgerEntries: 0, auditEntries: 0, receipts: 0, secrets: 0 },
    ...{ videos: 0, objects: 0, mediaBytes: 0, segments: 0 },
  }
  manifest: Manifest | undefined
  private readonly options: Options

  constructor(options: Options) {
    this.options = options
  }

  async run(): Promise<void> {
    const { place, backupId } = this.options
    await this.check('manifest', async () => {
      const read = await readManifest(place, backupId)
      this.manifest = read.manifest
      // Before the signature, which another secret cannot verify: the secret is what the operator must correct.
      checkSecretsOf(read.manifest.secrets)
      checkSignature(read)
      return []
    })
    const { manifest } = this
    if (!manifest || this.faults.length > 0) return
    const damaged = await this.restore(manifest)
    if (this.faults.length > 0) return
    await this.checkRows()
    await this.checkMedia(manifest, damaged)
  }

  private sample: SampledSegment[] = []

  /** Restores the database and what the sampled segments need of the media, the same way as a real restore. Returns faults in the media. */
  private async restore(manifest: Manifest): Promise<Restored['faults']> {
    const { place, url, segments, signal, selectMedia } = this.options
    selectMedia(manifest.media.mode)
    const damaged: Restored['faults'] = []
    await this.check('database', async () => {
      this.sample = await sampleSegments({ place, list: manifest.media.list, segments, signal })
      const { faults } = await restoreBackup({ place, manifest, url, select: selectOf(this.sample), signal })
      damaged.push(...faults)
      this.figures.tables = manifest.database.tables.length
      this.figures.rows = manifest.database.tables.reduce((sum, { rows }) => sum + rows, 0)
      return []
    })
    return damaged
  }

  private async checkRows(): Promise<void> {
    const { figures } = this
    await this.check('ledger', async () => {
      const verifier = new Verifier()
      await exportLedger((record) => verifier.take(record))
      const { entries, faults } = verifier.end()
      figures.ledgerEntries = entries
      return faults.map(({ row, accountId, problem }) => `${row} of ${accountId}: ${problem}`)
    })
    await this.check('counters', verifyCounters)
    await this.check('audit', async () => {
      const { entries, faults } = await verifyAudit()
      figures.auditEntries = entries
      return faults.map(({ accountId, entryId, problem }) => `${entryId ? `entry ${entryId} of ` : ''}${accountId}: ${problem}`)
    })
    await this.check('receipts', async () => {
      const { receipts, faults } = await verifyStoredReceipts()
      figures.receipts = receipts
      return faults
    })
    await this.check('secrets', async () => {
      const faults: string[] = []
      const ofViewers = [SEALED_VIEWER_KEY, SEALED_VIEWERS]
      for (const column of [SEALED_CONTENT_KEYS, SEALED_TOTP, ...SEALED_SECRETS, SEALED_SIGNING_KEYS, SEALED_IMPORT_URLS, ...ofViewers]) {
        const { opened, unreadable } = await openAll(column)
        figures.secrets += opened
        if (unreadable > 0) faults.push(`${unreadable} secrets in ${column.table}.${column.column} cannot be opened`)
      }
      return faults
    })
  }

  private async checkMedia({ media: { mode, list } }: Manifest, damaged: Restored['faults']): Promise<void> {
    const { place, signal } = this.options
    await this.check('media', async () => {
      const media = mode === 'copy' ? copiesIn(place) : storage()
      const { videos, objects, bytes, faults } = await verifyMedia({ place, list, media, signal })
      Object.assign(this.figures, { videos, objects, mediaBytes: bytes })
      await this.check('playback', async () => {
        this.figures.segments = this.sample.length
        return playSegments(this.sample, signal)
      })
      const unnamed = damaged.filter(({ key }) => !faults.some((fault) => fault.startsWith(`${key} `)))
      return [...faults, ...unnamed.map(({ problem }) => problem)]
    })
  }

  /** Runs one check, which returns its faults. Errors of the backup are faults; others end the drill. */
  private async check(check: DrillCheck, work: () => Promise<string[]>): Promise<void> {
    this.options.signal.throwIfAborted()
    const found = await work().catch((error: unknown) => {
      if (error instanceof BackupFault || error instanceof OtherSecretsError) return [error.message]
      throw error
    })
    this.faults.push(...found.slice(0, KEPT).map((problem) => ({ check, problem })))
    if (found.length > KEPT) this.faults.push({ check, problem: `and ${found.length - KEPT} more` })
  }
}

/**
 * Compares the database's counters with the rows they count: each account's stored bytes and videos, and the tokens charged with the tokens
 * that each key issued. Costs are compared with the ledger elsewhere (billing/verify-ledger.ts). Returns one line per fault.
 */
export async function verifyCounters(): Promise<string[]> {
  const stored = await query<{ id: string }>('verify-stored', STORED, [])
  const charged = await query<{ id: string; charged: string; issued: string }>('verify-charged', CHARGED, [])
  return [
    ...stored.map(({ id }) => `the stored bytes or videos counted for ${id} do not match its rows`),
    ...charged.map(({ id, charged, issued }) => `${charged} tokens of ${id} were charged, and ${issued} were issued`),
  ]
}

const STORED = `
  WITH counted AS (
    SELECT account_id AS id, sum(videos) AS videos, sum(original_bytes) AS original, sum(rendition_bytes) AS renditions, sum(uploads) AS uploads,
      sum(unfinished_bytes) AS unfinished
    FROM storage_count GROUP BY account_id),
  owned AS (
    SELECT id, sum(videos) AS videos, sum(original) AS original, sum(renditions) AS renditions FROM (
      SELECT account_id AS id, 1 AS videos, 0 AS original, caption_bytes + poster_bytes AS renditions FROM video
      UNION ALL SELECT account_id, 0, source_bytes, rendition_bytes + picture_bytes FROM media) AS one
    GROUP BY id),
  begun AS (SELECT account_id AS id, count(*) AS uploads, sum(bytes) AS unfinished FROM upload GROUP BY account_id)
  SELECT id FROM account LEFT JOIN counted USING (id) LEFT JOIN owned USING (id) LEFT JOIN begun USING (id)
  WHERE (coalesce(counted.videos, 0), coalesce(counted.original, 0), coalesce(counted.renditions, 0), coalesce(counted.uploads, 0),
      coalesce(counted.unfinished, 0))
    <> (coalesce(owned.videos, 0), coalesce(owned.original, 0), coalesce(owned.renditions, 0), coalesce(begun.uploads, 0), coalesce(begun.unfinished, 0))
  ORDER BY id`

const CHARGED = `
  WITH hours AS (SELECT key_id, sum(tokens) AS charged FROM charge_hour GROUP BY key_id)
  SELECT k.id, h.charged::text, coalesce(sum(d.issued), 0)::text AS issued
  FROM hours h JOIN api_key k ON k.id = h.key_id LEFT JOIN key_day d ON d.key_id = k.id
  GROUP BY k.id, h.charged HAVING h.charged > coalesce(sum(d.issued), 0) ORDER BY k.id`
