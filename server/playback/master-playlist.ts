import { checkGrant } from './grant.ts'
import { type RungStream, streamsOf } from './streams.ts'

/**
 * The list of renditions, highest first; its entries stand beside it, under the same grant.
 * Errors: PLAYBACK_TOKEN_INVALID, PLAYBACK_TOKEN_EXPIRED, VIDEO_NOT_FOUND.
 */
export async function masterPlaylist({ videoId, grant }: { videoId: string; grant: string }): Promise<string> {
  checkGrant(videoId, grant)
  const { rungs } = await streamsOf(videoId)
  return renderMaster(rungs)
}

/** RFC 8216 §4.3.4.2. */
export function renderMaster(rungs: readonly RungStream[]): string {
  const entries = rungs.map(({ quality, width, height, bandwidth, averageBandwidth, codecs, frameRate }) => {
    const rates = `BANDWIDTH=${bandwidth},AVERAGE-BANDWIDTH=${averageBandwidth}`
    return `#EXT-X-STREAM-INF:${rates},RESOLUTION=${width}x${height},FRAME-RATE=${frameRate.toFixed(3)},CODECS="${codecs}"\n${quality}.m3u8\n`
  })
  return `#EXTM3U\n#EXT-X-VERSION:6\n#EXT-X-INDEPENDENT-SEGMENTS\n${entries.join('')}`
}
