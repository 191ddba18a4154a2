import type { AccountCtx } from '../../context.ts'
import type { VideoStatus } from '../../platform/prisma/enums.ts'
import { compareNames } from '../../platform/text/fold-case.ts'
import type { SpokenMatch } from '../videos/list/spoken.ts'
import type { Metadata } from '../videos/metadata-schema.ts'
import { mediaUrl } from './media-urls.ts'

/** A video, as its owner sees it: the API's fields and internal state. Sizes in bytes, times in seconds. */
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
  /** The poster's URL. Null until COMPLETED. */
  posterUrl: string | null
  sourceName: string
  sourceBytes: number
  createdAt: Date
  startedAt: Date | null
  /** Since when a PROCESSING video has been playable. Null before. */
  playableAt: Date | null
  completedAt: Date | null
  deletedAt: Date | null
  /** When and why support took it down. Null if it is not. */
  takenDownAt: Date | null
  takedownReason: string | null
  /** The owner's metadata by name, and the owner's own ID. */
  metadata: Metadata
  externalId: string | null
  /** Names of the collections it is in. */
  collections: { id: string; name: string }[]
  /** The first places where the words are said that the list was asked for. */
  spoken?: SpokenMatch[] | undefined
}

/** Columns of a DashboardVideo. Excludes keys and storage names, which stay on the server. */
export const DASHBOARD_COLUMNS = {
  id: true,
  title: true,
  description: true,
  status: true,
  durationSec: true,
  targetQuality: true,
  qualities: true,
  encrypted: true,
  poster: true,
  createdAt: true,
  playableAt: true,
  completedAt: true,
  deletedAt: true,
  takenDownAt: true,
  takedownReason: true,
  metadata: true,
  externalId: true,
  collections: { select: { collection: { select: { id: true, name: true } } } },
  media: { select: { progress: true, etaSec: true, failureReason: true, sourceName: true, sourceBytes: true, startedAt: true } },
} as const

type OfMedia = Pick<DashboardVideo, 'progress' | 'etaSec' | 'failureReason' | 'sourceName' | 'startedAt'> & { sourceBytes: bigint }

interface Row extends Omit<DashboardVideo, keyof OfMedia | 'posterUrl' | 'metadata' | 'collections'> {
  media: OfMedia | null
  poster: string | null
  metadata: unknown
  collections: { collection: { id: string; name: string } }[]
}

/** Converts a row for the dashboard of `ctx`. A number represents file sizes exactly up to 9 PB. */
export function dashboardVideo(
  ctx: Pick<AccountCtx, 'actor' | 'ownerView'>,
  { poster, collections, metadata, media, ...row }: Row,
): DashboardVideo {
  const shown = poster && row.status === 'COMPLETED' && !row.deletedAt && !row.takenDownAt
  const { progress = 0, etaSec = null, failureReason = null, sourceName = '', sourceBytes = 0n, startedAt = null } = media ?? {}
  return {
    ...row,
    ...{ progress, etaSec, failureReason, sourceName, startedAt },
    sourceBytes: Number(sourceBytes),
    posterUrl: shown ? mediaUrl(ctx, row.id, `poster-${poster}.jpg`) : null,
    metadata: metadata as Metadata,
    collections: collections.map(({ collection }) => collection).sort((a, b) => compareNames(a.name, b.name)),
  }
}
