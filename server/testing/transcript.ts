import { readTranscript as read } from '../modules/transcoding/transcripts/read-transcript.ts'
import type { Transcript } from '../modules/transcoding/transcripts/transcript-schema.ts'

/** Returns a transcript as clients of the API receive it. */
export async function readTranscript(...input: Parameters<typeof read>): Promise<Transcript> {
  const { json } = await read(...input)
  return JSON.parse(Buffer.from(json).toString()).data
}
