import { openMediaPermit } from './media-permit.ts'
import { type CaptionTrack, type RenditionStream, streamsOf } from './streams.ts'

/**
 * Returns the playlist of renditions, highest first; its entries are relative URLs under the same permit. Errors:
 * PLAYBACK_TOKEN_INVALID, PLAYBACK_TOKEN_EXPIRED, VIDEO_NOT_FOUND.
 */
export async function masterPlaylist({ videoId, permit }: { videoId: string; permit: string }): Promise<string> {
  await openMediaPermit(videoId, permit, 'session')
  const { renditions, captions } = await streamsOf(videoId)
  return renderMaster(renditions, captions)
}

/** Renders RFC 8216 §4.3.4.1–4.3.4.2. Captions are off until chosen: none of them is a default. */
export function renderMaster(renditions: readonly RenditionStream[], captions: readonly CaptionTrack[]): string {
  const group = captions.length > 0 ? ',SUBTITLES="captions"' : ''
  const tracks = captions.map(({ language, label }) => {
    const named = `NAME="${label}",LANGUAGE="${language}"`
    return `#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="captions",${named},DEFAULT=NO,AUTOSELECT=YES,FORCED=NO,URI="captions-${language}.m3u8"\n`
  })
  const entries = renditions.map(({ quality, width, height, bandwidth, averageBandwidth, codecs, frameRate }) => {
    const rates = `BANDWIDTH=${bandwidth},AVERAGE-BANDWIDTH=${averageBandwidth}`
    const picture = `RESOLUTION=${width}x${height},FRAME-RATE=${frameRate.toFixed(3)}`
    return `#EXT-X-STREAM-INF:${rates},${picture},CODECS="${codecs}"${group}\n${quality}.m3u8\n`
  })
  return `#EXTM3U\n#EXT-X-VERSION:6\n#EXT-X-INDEPENDENT-SEGMENTS\n${tracks.join('')}${entries.join('')}`
}
