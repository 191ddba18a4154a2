import { type DashboardRendition, getForDashboard } from '../../dashboard/get-video.ts'
import { type DashboardPage, listForDashboard } from '../../dashboard/list-videos.ts'
import type { DashboardVideo } from '../../dashboard/video-row.ts'
import { type VideoViewers, videoViewers } from '../../delivery/sessions/viewers.ts'
import { workerLabels } from '../../transcoding/tasks/processing.ts'
import type { Processing } from '../../transcoding/tasks/processing-schema.ts'
import { presentProcessing, processMachines, readProcessingRows } from '../../transcoding/tasks/read-processing.ts'
import { type LogLine, videoLog } from '../../videos/video-log.ts'
import { openAccount } from './open-account.ts'
import type { SupportVideosInput } from './schema.ts'
import type { StaffCtx } from './staff.ts'

/**
 * Returns a page of an account's videos as its owner sees them, without pictures, which are private. Errors: NOT_FOUND, INVALID_REQUEST.
 */
export async function supportVideos(staff: StaffCtx, { accountId, ...input }: SupportVideosInput): Promise<DashboardPage> {
  return listForDashboard(await openAccount(staff, { accountId, page: 'videos' }), input)
}

/** A video's metadata and processing log, without URLs of media or pictures. */
export interface SupportVideo {
  video: Omit<DashboardVideo, 'posterUrl'>
  renditions: DashboardRendition[]
  captions: { language: string; label: string; cues: number; bytes: number }[]
  log: LogLine[]
  processing: Processing
  /** Its workers by their labels in `processing`; without a host when the process has stopped. */
  workers: { label: string; process: string; host: string | null }[]
  /** Failed parts with their causes, as stored. */
  causes: { kind: string; position: number; cause: string }[]
  viewers: VideoViewers
}

/** Returns one video of an account with its processing log. Errors: NOT_FOUND, VIDEO_NOT_FOUND. */
export async function supportVideo(staff: StaffCtx, { accountId, videoId }: { accountId: string; videoId: string }): Promise<SupportVideo> {
  const ctx = await openAccount(staff, { accountId, page: 'videos', subject: videoId })
  const [detail, log, rows, viewers] = await Promise.all([
    getForDashboard(ctx, { videoId }),
    videoLog(ctx, { videoId }),
    readProcessingRows({ accountId, videoId }),
    videoViewers(ctx, { videoId }),
  ])
  const labels = workerLabels(rows.tasks)
  const [hosts, processing] = await Promise.all([processMachines([...labels.keys()]), presentProcessing(ctx.accountId, rows)])
  // The URLs of pictures and captions contain a grant.
  const { renditions, captions, posters: _, storyboardUrl: __, posterUrl: ___, ...video } = detail
  return {
    ...{ video, renditions, captions: captions.map(({ url: _, ...caption }) => caption), log },
    processing,
    workers: [...labels].map(([process, label]) => ({ label, process, host: hosts.get(process) ?? null })),
    causes: rows.tasks.flatMap(({ kind, position, cause }) => (cause === null ? [] : [{ kind, position, cause }])),
    viewers,
  }
}
