import type { AccountCtx } from '../../context.ts'
import { compareNames } from '../../platform/fold-case.ts'
import type { VideoStatus } from '../../platform/prisma/enums.ts'
import type { Metadata } from '../videos/metadata-schema.ts'
import { mediaUrl } from './media-urls.ts'

/** A video for its owner: the API's fields and internal state. Sizes in bytes, times in seconds. */
export interface DashboardVideo {
  id: string
  title: string
  description: string | null
  status: VideoStatus
  /** 0 to 100 while PROCESSING. */
  progress: number
  etaSec: number | null
  failureReason: string | null
  durationSec: number
  targetQuality: string
  qualities: string[]
  encrypted: boolean
  /** The poster's URL; null until COMPLETED. */
  posterUrl: string | null
  sourceName: string
  sourceBytes: number
  createdAt: Date
  startedAt: Date | null
  /** Since when a PROCESSING video can be watched; null before. */
  playableAt: Date | null
  completedAt: Date | null
  deletedAt: Date | null
  /** When and why support took it down; null while it is not. */
  takenDownAt: Date | null
  takedownReason: string | null
  /** Texts of the owner by name, and the owner's own id. */
  metadata: Metadata
  externalId: string | null
  /** Those that it is in, by name. */
  collections: { id: string; name: string }[]
}

/** Columns of a DashboardVideo; excludes keys and storage names, which stay on the server. */
export const DASHBOARD_COLUMNS = {
  id: true,
  title: true,
  description: true,
  status: true,
  progress: true,
  etaSec: true,
  failureReason: true,
  durationSec: true,
  targetQuality: true,
  qualities: true,
  encrypted: true,
  poster: true,
  sourceName: true,
  sourceBytes: true,
  createdAt: true,
  startedAt: true,
  playableAt: true,
  completedAt: true,
  deletedAt: true,
  takenDownAt: true,
  takedownReason: true,
  metadata: true,
  externalId: true,
  collections: { select: { collection: { select: { id: true, name: true } } } },
} as const

interface Row extends Omit<DashboardVideo, 'sourceBytes' | 'posterUrl' | 'metadata' | 'collections'> {
  sourceBytes: bigint
  poster: string | null
  metadata: unknown
  collections: { collection: { id: string; name: string } }[]
}

/** Converts a row for the dashboard of `ctx`. A number represents file sizes exactly up to 9 PB. */
export function dashboardVideo(
  ctx: Pick<AccountCtx, 'actor' | 'ownerView'>,
  { poster, collections, metadata, ...row }: Row,
): DashboardVideo {
  const shown = poster && row.status === 'COMPLETED' && !row.deletedAt && !row.takenDownAt
  return {
    ...row,
    sourceBytes: Number(row.sourceBytes),
    posterUrl: shown ? mediaUrl(ctx, row.id, `poster-${poster}.jpg`) : null,
    metadata: metadata as Metadata,
    collections: collections.map(({ collection }) => collection).sort((a, b) => compareNames(a.name, b.name)),
  }
}
