import type { AccountCtx } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { query } from '../../../platform/database/database.ts'
import { processorJob } from '../../../platform/turns/processor.ts'
import { readExtra } from '../../videos/extras.ts'
import { getVideo } from '../../videos/get.ts'
import type { TRANSCRIPT_FORMATS } from './transcript-schema.ts'
import type { transcriptText } from './transcript-text.ts'

const textInThread = processorJob<typeof transcriptText>('modules/transcoding/transcripts/transcript-text.ts', 'transcriptText')

interface Row {
  language: string
  name: string
  generated: boolean
  edited: boolean
  words: string | null
  [column: string]: unknown
}

/** Returns words only for the text that was made from them: edited or restored captions may say something else. */
const TRANSCRIPT = `
  SELECT c.language, c.name, c.generated, c.edited,
    CASE WHEN c.generated AND NOT c.edited AND $3 THEN (SELECT words::text FROM transcript t WHERE t.video_id = c.video_id AND t.language = c.language
      AND t.captions_name = c.name AND t.words IS NOT NULL ORDER BY t.ended_at DESC NULLS LAST LIMIT 1) END AS words
  FROM caption c WHERE c.video_id = $1 AND ($2::text IS NULL OR c.language = $2)
  ORDER BY c.generated DESC, c.language COLLATE "C" LIMIT 1`

interface Input {
  videoId: string
  /** `json` by default. */
  format?: (typeof TRANSCRIPT_FORMATS)[number]
  /** BCP 47. Undefined: that of generated captions, or else of the first ones. */
  language?: string | undefined
}

/**
 * Returns the transcript of a video, which comes from its captions, as the JSON of the response. Errors: as `getVideo`, and
 * CAPTIONS_NOT_FOUND, TurnRefused.
 */
export async function readTranscript(ctx: AccountCtx, { videoId, format = 'json', language }: Input): Promise<{ json: Uint8Array }> {
  await getVideo(ctx, { videoId })
  const [row] = await query<Row>('transcript-of-video', TRANSCRIPT, [videoId, language ?? null, format === 'json'])
  if (!row) throw new ServiceError('CAPTIONS_NOT_FOUND', language ? {} : { message: 'This video has no captions yet.' })
  const { name, ...shown } = row
  return { json: await textInThread({ ...shown, vtt: await readExtra(videoId, name), format }) }
}
