import { db, query } from '../../../platform/database/database.ts'
import { log } from '../../../platform/observe/log.ts'
import { processorJob } from '../../../platform/turns/processor.ts'
import { readExtra } from '../extras.ts'
import type { spokenCues } from './spoken-cues.ts'

const cuesInThread = processorJob<typeof spokenCues>('modules/videos/captions/spoken-cues.ts', 'spokenCues')

/** Cues that one statement stores. */
const SLICE = 2_000

interface Unsearchable {
  videoId: string
  language: string
  name: string
  accountId: string
}

/** Makes new captions searchable by what is said. Runs as the job `captions.index`; safe to repeat, also concurrently. */
export async function indexCaptions(signal?: AbortSignal): Promise<void> {
  for (let last = ''; ; ) {
    signal?.throwIfAborted()
    const rows = await query<Unsearchable>(
      'captions-unsearchable',
      `SELECT c.video_id AS "videoId", c.language, c.name, v.account_id AS "accountId" FROM caption c JOIN video v ON v.id = c.video_id
       WHERE c.searchable IS DISTINCT FROM c.name AND c.video_id > $1 ORDER BY c.video_id LIMIT 100`,
      [last],
    )
    const found = rows.at(-1)
    if (!found) return
    for (const row of rows) await indexOne(row, signal)
    last = found.videoId
  }
}

async function indexOne({ videoId, language, name, accountId }: Unsearchable, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted()
  let vtt: string
  try {
    vtt = String(await readExtra(videoId, name))
  } catch (error) {
    // The next run tries again: the storage may be unreachable, or the captions replaced.
    log().warn({ err: error, videoId, language }, 'captions could not be read to make them searchable')
    return
  }
  const cues = await cuesInThread({ vtt, language })
  await db().$transaction(async (tx) => {
    // Before the captions, as uploads do: the trigger that counts their bytes would lock the video after them.
    await tx.$queryRaw`SELECT 1 FROM video WHERE id = ${videoId} FOR NO KEY UPDATE`
    const [same] = await tx.$queryRaw<object[]>`
      SELECT 1 FROM caption WHERE video_id = ${videoId} AND language = ${language} AND name = ${name} FOR UPDATE`
    if (!same) return
    await tx.$executeRaw`DELETE FROM caption_cue WHERE video_id = ${videoId} AND language = ${language}`
    for (let at = 0; at < cues.text.length; at += SLICE) {
      const slice = <Value>(values: Value[]) => values.slice(at, at + SLICE)
      await tx.$executeRaw`
        INSERT INTO caption_cue (video_id, language, position, account_id, name, from_sec, to_sec, text, words)
        SELECT ${videoId}, ${language}, ${at}::int + ordinality, ${accountId}, ${name}, from_sec, to_sec, text,
          CASE WHEN pairs IS NULL THEN to_tsvector(spoken_language(${language}), words)
            ELSE array_to_tsvector(ARRAY(SELECT jsonb_array_elements_text(pairs::jsonb))) END
        FROM unnest(${slice(cues.fromSec)}::float8[], ${slice(cues.toSec)}::float8[], ${slice(cues.text)}::text[],
          ${slice(cues.words)}::text[], ${slice(cues.pairs)}::text[])
          WITH ORDINALITY AS cue (from_sec, to_sec, text, words, pairs)`
    }
    await tx.caption.update({ where: { videoId_language: { videoId, language } }, data: { searchable: name } })
  })
}
