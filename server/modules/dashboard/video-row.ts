import type { VideoStatus } from '../../platform/prisma/enums.ts'
import { mediaUrl } from './media-urls.ts'

/** A video as its owner sees it: the API's fields and what happens behind them. Sizes in bytes, times in seconds. */
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
  /** The picture shown before playback; null until COMPLETED. */
  posterUrl: string | null
  sourceName: string
  sourceBytes: number
  createdAt: Date
  startedAt: Date | null
  completedAt: Date | null
  deletedAt: Date | null
  /** Since when support has taken it down, and why; null while it is not. */
  takenDownAt: Date | null
  takenDownWhy: string | null
}

/** The columns of it: neither keys nor storage names leave the server. */
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
  completedAt: true,
  deletedAt: true,
  takenDownAt: true,
  takenDownWhy: true,
} as const

type Row = Omit<DashboardVideo, 'sourceBytes' | 'posterUrl'> & { sourceBytes: bigint; poster: string | null }

/** Row → what the dashboard shows. A file of 9 PB would be the first whose size a number cannot hold. */
export function dashboardVideo({ poster, ...row }: Row): DashboardVideo {
  const shown = poster && row.status === 'COMPLETED' && !row.deletedAt && !row.takenDownAt
  return { ...row, sourceBytes: Number(row.sourceBytes), posterUrl: shown ? mediaUrl(row.id, `poster-${poster}.jpg`) : null }
}
