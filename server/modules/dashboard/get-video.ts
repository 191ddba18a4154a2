import type { AccountCtx } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { db } from '../../platform/database/database.ts'
import { speechChoice } from '../../platform/speech/speech-choice.ts'
import { compareNames } from '../../platform/text/fold-case.ts'
import { type DamagedPart, describeDamage } from '../transcoding/encode/damage.ts'
import { mediaUrl } from './media-urls.ts'
import { DASHBOARD_COLUMNS, type DashboardVideo, dashboardVideo } from './video-row.ts'

/** One rendition as encoded. Bandwidths in bits per second. */
export interface DashboardRendition {
  quality: string
  width: number
  height: number
  frameRate: number
  averageBandwidth: number
  /** Peak, in bits per second. */
  bandwidth: number
  /** As RFC 6381 writes it, including audio. */
  codecs: string
  bytes: number
}

/** One encoded audio track, which plays with every rendition. */
export interface DashboardAudio {
  /** Order in the source, from 0. */
  position: number
  name: string
  isDefault: boolean
  channels: number
  averageBandwidth: number
  bandwidth: number
  codecs: string
  bytes: number
}

export interface DashboardCaptions {
  language: string
  name: string
  label: string
  cues: number
  bytes: number
  /** Whether they were made from the speech of the video, and whether a person changed them since. */
  generated: boolean
  edited: boolean
  /** WebVTT. Null until COMPLETED. */
  url: string | null
}

export interface DashboardDetail extends DashboardVideo {
  /** Whether its files can be downloaded, and how often a download has started. */
  downloads: { allowed: boolean; count: number }
  /** Since when it has been waiting to be re-encoded. Null if it is not. */
  reencodeRequestedAt: Date | null
  /** What could not be decoded and what plays instead, in sentences. Empty until COMPLETED. */
  damage: string[]
  /** Highest first. Empty until COMPLETED. */
  renditions: DashboardRendition[]
  /** Renditions in an additional codec that players are offered, highest first. */
  furtherRenditions: DashboardRendition[]
  /** Empty until COMPLETED, and for a video whose audio is in its renditions. */
  audio: DashboardAudio[]
  /** Poster candidates, then the uploaded poster. Empty until COMPLETED. */
  posters: { name: string; url: string; uploaded: boolean; chosen: boolean }[]
  /** WebVTT of the seek previews. Null until COMPLETED. */
  storyboardUrl: string | null
  /** By label. */
  captions: DashboardCaptions[]
  /** Languages of captions that members are editing and have not published. */
  captionDrafts: string[]
  /** Why no captions can be generated from speech, as a sentence for the operator. Null if they can. */
  speechOff: string | null
}

const RENDITIONS = {
  select: {
    codec: true,
    quality: true,
    width: true,
    height: true,
    frameRate: true,
    averageBandwidth: true,
    bandwidth: true,
    codecs: true,
    bytes: true,
  },
  orderBy: { averageBandwidth: 'desc' },
} as const
const AUDIO = {
  select: {
    position: true,
    name: true,
    isDefault: true,
    channels: true,
    averageBandwidth: true,
    bandwidth: true,
    codecs: true,
    bytes: true,
  },
  orderBy: { position: 'asc' },
} as const
const shown = ({ codec: _, bytes, ...one }: Omit<DashboardRendition, 'bytes'> & { codec: string; bytes: bigint }): DashboardRendition => ({
  ...one,
  bytes: Number(bytes),
})

function speechOff(): string | null {
  const choice = speechChoice()
  return 'off' in choice ? choice.off : null
}

/** Returns one video with its renditions, even a deleted one. Errors: VIDEO_NOT_FOUND, also for another account's. */
export async function getForDashboard(ctx: AccountCtx, { videoId }: { videoId: string }): Promise<DashboardDetail> {
  const row = await db().video.findFirst({
    where: { id: videoId, accountId: ctx.accountId },
    select: {
      ...DASHBOARD_COLUMNS,
      posterUploaded: true,
      reencodeRequestedAt: true,
      account: { select: { downloads: true } },
      downloads: { select: { downloads: true } },
      captions: { select: { language: true, name: true, label: true, cues: true, bytes: true, generated: true, edited: true } },
      captionDrafts: { select: { language: true }, orderBy: { language: 'asc' } },
      media: {
        select: {
          ...DASHBOARD_COLUMNS.media.select,
          ...{ posterCandidates: true, storyboard: true, damage: true, renditions: RENDITIONS, audio: AUDIO },
        },
      },
    },
  })
  if (!row) throw new ServiceError('VIDEO_NOT_FOUND')
  const { posterUploaded, captions, captionDrafts, account, downloads, reencodeRequestedAt, ...video } = row
  const { renditions = [], audio = [], posterCandidates = [], storyboard = null, damage = null } = video.media ?? {}
  const ofCodec = (isFirst: boolean) => renditions.filter(({ codec }) => (codec === 'h264') === isFirst)
  const served = video.status === 'COMPLETED' && !video.deletedAt && !video.takenDownAt
  const names = served ? [...new Set([...posterCandidates, ...(posterUploaded ? [posterUploaded] : [])])] : []
  return {
    ...dashboardVideo(ctx, video),
    downloads: { allowed: account.downloads, count: downloads.reduce((sum, one) => sum + Number(one.downloads), 0) },
    reencodeRequestedAt,
    damage: (damage as DamagedPart[] | null)?.map(describeDamage) ?? [],
    renditions: ofCodec(true).map(shown),
    furtherRenditions: ofCodec(false).map(shown),
    audio: audio.map((one) => ({ ...one, bytes: Number(one.bytes) })),
    posters: names.flatMap((name) => {
      const url = mediaUrl(ctx, videoId, `poster-${name}.jpg`)
      return url === null ? [] : [{ name, url, uploaded: name === posterUploaded, chosen: name === video.poster }]
    }),
    storyboardUrl: served && storyboard ? mediaUrl(ctx, videoId, 'storyboard.vtt') : null,
    captions: captions
      .map((one) => ({ ...one, url: served ? mediaUrl(ctx, videoId, `captions-${one.language}.vtt`) : null }))
      .sort((a, b) => compareNames(a.label, b.label)),
    captionDrafts: captionDrafts.map(({ language }) => language),
    speechOff: speechOff(),
  }
}
