import type { AccountCtx } from '../context.ts'
import { ServiceError } from '../errors.ts'
import { db } from '../infra/db.ts'
import { DASHBOARD_COLUMNS, type DashboardVideo, dashboardVideo } from './dashboard-row.ts'

/** One rung as encoded. Bandwidths in bits per second. */
export interface DashboardRendition {
  quality: string
  width: number
  height: number
  frameRate: number
  averageBandwidth: number
  bytes: number
}

export interface DashboardDetail extends DashboardVideo {
  /** Highest first; empty until COMPLETED. */
  renditions: DashboardRendition[]
}

/** One video with its renditions, a deleted one included. Errors: VIDEO_NOT_FOUND, also for another account's. */
export async function getForDashboard(ctx: AccountCtx, { videoId }: { videoId: string }): Promise<DashboardDetail> {
  const row = await db().video.findFirst({
    where: { id: videoId, accountId: ctx.accountId },
    select: {
      ...DASHBOARD_COLUMNS,
      renditions: {
        select: { quality: true, width: true, height: true, frameRate: true, averageBandwidth: true, bytes: true },
        orderBy: { averageBandwidth: 'desc' },
      },
    },
  })
  if (!row) throw new ServiceError('VIDEO_NOT_FOUND')
  const { renditions, ...video } = row
  return { ...dashboardVideo(video), renditions: renditions.map((one) => ({ ...one, bytes: Number(one.bytes) })) }
}
