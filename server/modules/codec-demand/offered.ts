import { OFFERED_UNTIL } from '../videos/further-codec.ts'
import type { DemandCodec } from './state.ts'

/**
 * SQL: the row `n` with the renditions of the decision `c`, to be joined: that which adds them to the video, or the video, once it was
 * encoded with the preset. Playlists list them.
 */
export const JOINED_ROW: Record<DemandCodec, string> = {
  av1: `LATERAL (
    SELECT n.id, n.completed_at FROM video n
    WHERE n.replaces = c.video_id AND n.adds_codec = c.codec AND n.status = 'COMPLETED' AND n.kept_until = '${OFFERED_UNTIL}') AS n`,
  // Its own time is that of its first encoding.
  h264: `LATERAL (
    SELECT n.id, service_now() AS completed_at FROM video n
    WHERE n.id = c.video_id AND n.status = 'COMPLETED' AND n.h264_preset = c.preset) AS n`,
}
