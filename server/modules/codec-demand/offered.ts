import { OFFERED_UNTIL } from '../videos/further-codec.ts'

/** SQL: the row `n` with the renditions of the codec of the decision `c`, to be joined. Playlists list them. */
export const JOINED_ROW = `LATERAL (
    SELECT n.id, n.completed_at FROM video n
    WHERE n.replaces = c.video_id AND n.adds_codec = c.codec AND n.status = 'COMPLETED' AND n.kept_until = '${OFFERED_UNTIL}') AS n`
