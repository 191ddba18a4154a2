import { ServiceError } from '../../errors.ts'
import { readExtra } from '../videos/extras.ts'
import { openGrant } from './grant.ts'
import { type CaptionTrack, type RungStream, streamsOf } from './streams.ts'

interface Asked {
  videoId: string
  grant: string
  language: string
}

/** A language's playlist: one WebVTT file as long as the film. Errors: PLAYBACK_TOKEN_INVALID, PLAYBACK_TOKEN_EXPIRED, VIDEO_NOT_FOUND, NOT_FOUND. */
export async function captionPlaylist({ videoId, grant, language }: Asked): Promise<string> {
  await openGrant(videoId, grant, 'session')
  const { captions, rungs } = await streamsOf(videoId)
  track(captions, language)
  const seconds = rungs[0]?.seconds ?? 0
  const head = `#EXTM3U\n#EXT-X-VERSION:6\n#EXT-X-TARGETDURATION:${Math.ceil(Math.max(1, seconds))}\n#EXT-X-MEDIA-SEQUENCE:0\n#EXT-X-PLAYLIST-TYPE:VOD\n`
  return `${head}#EXTINF:${seconds.toFixed(6)},\ncaptions-${language}.vtt\n#EXT-X-ENDLIST\n`
}

/** A language's captions as WebVTT, set to the clock of the segments (RFC 8216 §3.5). Errors: as above. */
export async function captionFile({ videoId, grant, language }: Asked): Promise<string> {
  await openGrant(videoId, grant, 'captions')
  const { captions, rungs } = await streamsOf(videoId)
  const vtt = String(await readExtra(videoId, track(captions, language).name))
  return vtt.replace(/^WEBVTT/, `WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:${firstPts(rungs[0])},LOCAL:00:00:00.000`)
}

/** Where a film's first picture stands on the muxer's 90 kHz clock: it starts at 1.4 s, and two frames later x264 has sorted its first. */
const firstPts = (rung: RungStream | undefined) => 126_000 + Math.round(180_000 / (rung?.frameRate ?? 30))

function track(captions: readonly CaptionTrack[], language: string): CaptionTrack {
  const found = captions.find((one) => one.language === language)
  if (!found) throw new ServiceError('NOT_FOUND', { message: 'This video has no captions in this language.' })
  return found
}
