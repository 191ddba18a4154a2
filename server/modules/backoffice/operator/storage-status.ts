import { env } from '../../../platform/config/config.ts'
import { query } from '../../../platform/database/database.ts'
import { freeBytesByVolume } from '../../../platform/files/disk-space.ts'
import { mediaMove } from '../../../platform/storage/media-move.ts'
import { storageLocation } from '../../../platform/storage/s3-client.ts'
import { storageOfAll } from '../../identity/accounts/storage.ts'

/** What the installation stores, and where. Sizes in bytes. */
export interface StorageStatus {
  /** `bucket`, with its name, or `folder`, with its path. */
  media: { kind: 'bucket' | 'folder'; name: string }
  /** Free bytes of the volumes of DATA_DIR on this process's machine. */
  free: { volume: string; bytes: number }[]
  reserve: number
  stored: { videos: number; originals: number; renditions: number; unfinished: number }
  /** Stored objects that are missing or damaged. */
  faults: number
  /** Purged videos whose media has not been removed yet. */
  removals: number
  /** Phase of the running media move; null without one. */
  move: string | null
}

const COUNTS = `
  SELECT (SELECT count(*) FROM media_fault)::int AS faults,
    (SELECT count(*) FROM deletion WHERE kind <> 'account.deletion' AND verified_at IS NULL)::int AS removals`

export async function readStorage(): Promise<StorageStatus> {
  const bucket = storageLocation()
  const { STORAGE_URL, DATA_DIR, STORAGE_RESERVE_BYTES } = env()
  const folder = STORAGE_URL && 'folder' in STORAGE_URL ? STORAGE_URL.folder : `${DATA_DIR}/media`
  const [free, sums, [counts]] = await Promise.all([
    freeBytesByVolume(),
    storageOfAll(),
    query<{ faults: number; removals: number }>('operator-storage', COUNTS, []),
  ])
  const volumes = Object.entries(free).filter(([volume]) => volume !== 'media' || !bucket)
  return {
    media: bucket ? { kind: 'bucket', name: `s3://${bucket.bucket}/${bucket.prefix}` } : { kind: 'folder', name: folder },
    free: volumes.map(([volume, bytes]) => ({ volume, bytes })),
    reserve: STORAGE_RESERVE_BYTES,
    stored: {
      videos: Number(sums.videos),
      originals: Number(sums.originalBytes),
      renditions: Number(sums.renditionBytes),
      unfinished: Number(sums.unfinishedBytes),
    },
    ...{ faults: counts?.faults ?? 0, removals: counts?.removals ?? 0, move: mediaMove()?.phase ?? null },
  }
}
