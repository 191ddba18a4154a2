import type { AccountCtx } from '../../../context.ts'
import { query } from '../../../platform/database/database.ts'
import { spokenPairs, spokenWords } from '../captions/spoken-pairs.ts'

/** A place in a video where the words of a search are said. */
export interface SpokenMatch {
  fromSec: number
  toSec: number
  language: string
  text: string
}

/** Places to return for each video. */
const MOST_MATCHES = 5

const CURRENT = 'EXISTS (SELECT FROM caption c WHERE c.video_id = cue.video_id AND c.language = cue.language AND c.name = cue.name)'

/** Returns the condition that all words of a text are said within one cue of a video. `$1` is the account. */
export const spokenIn = (text: string, value: (value: unknown) => string): string =>
  `video.id = ANY (ARRAY(SELECT DISTINCT cue.video_id FROM caption_cue cue WHERE cue.account_id = $1
    AND cue.words @@ (SELECT spoken_query(${value(spokenWords(text))}, ${value(spokenPairs(text))}::text[])) AND ${CURRENT}))`

/** Returns the first places where the words are said, by video. */
export async function spokenMatches({ accountId }: AccountCtx, text: string, videoIds: string[]): Promise<Map<string, SpokenMatch[]>> {
  const rows = await query<SpokenMatch & { videoId: string }>(
    'spoken-matches',
    `SELECT found.video_id AS "videoId", found.from_sec AS "fromSec", found.to_sec AS "toSec", found.language, found.text FROM (
       SELECT cue.*, row_number() OVER (PARTITION BY cue.video_id ORDER BY cue.from_sec, cue.language) AS number
       FROM caption_cue cue WHERE cue.account_id = $1 AND cue.video_id = ANY ($2)
         AND cue.words @@ (SELECT spoken_query($3, $4::text[])) AND ${CURRENT}
     ) AS found WHERE number <= ${MOST_MATCHES} ORDER BY found.from_sec, found.language`,
    [accountId, videoIds, spokenWords(text), spokenPairs(text)],
  )
  const found = new Map<string, SpokenMatch[]>()
  for (const { videoId, ...match } of rows) found.set(videoId, [...(found.get(videoId) ?? []), match])
  return found
}
