import { z } from 'zod'
import { captionsParams, language, videoIdInput, videoParams } from '../../videos/schema.ts'

const time = z.iso.datetime()

/** A language, or `auto` for the one that is spoken. */
const wanted = z.union([z.literal('auto'), language], 'Use auto, or a language tag such as en or pt-BR.')

export const generateParams = captionsParams.extend({
  language: wanted.meta({ description: 'The spoken language as a BCP 47 tag, or `auto` to detect it.', examples: ['auto'] }),
})

export const generateBody = z
  .strictObject({
    replace: z.boolean().default(false).meta({ description: 'Whether to replace generated captions that a person edited.' }),
  })
  .meta({ id: 'GenerateCaptions', examples: [{ replace: false }] })

export const generateCaptionsInput = videoIdInput.extend({ language: wanted, replace: z.boolean().default(false) })
export type GenerateCaptionsInput = z.input<typeof generateCaptionsInput>

/** Why a request gave no captions, by its code. */
export const TRANSCRIPT_FAILURES = {
  NO_AUDIO: 'The video has no audio.',
  NO_SPEECH: 'We found no speech in the video.',
  CAPTIONS_EXIST: 'The video already has captions in this language that were uploaded or edited.',
  LIMIT_REACHED: 'The account has reached its monthly limit of transcribed minutes.',
  FAILED: 'We could not transcribe the audio. `reason` says why.',
} as const

export const TRANSCRIPTION_STATES = ['waiting', 'running', 'retrying', 'completed', 'empty', 'failed'] as const
export type TranscriptionState = (typeof TRANSCRIPTION_STATES)[number]

/** A request for captions from the speech of a video. */
export const transcription = z
  .object({
    requested: z.string().meta({ description: 'The language that was requested, or `auto`.' }),
    state: z.enum(TRANSCRIPTION_STATES).meta({
      description: '`retrying`: a part failed and is waiting for its next attempt. `empty`: the video has no audio or no speech.',
    }),
    language: z.string().nullable().meta({ description: 'Language of the captions; null until `completed`.' }),
    progress: z.number().min(0).max(1).meta({ description: 'Share of the speech that is transcribed, from 0 to 1.' }),
    secondsLeft: z
      .int()
      .min(0)
      .nullable()
      .meta({ description: 'Estimated seconds until it ends; null while unknown, and once it has ended.' }),
    attempts: z.int().min(0).meta({ description: 'Failed attempts at the current part, and workers that it lost.' }),
    nextTryAt: time.nullable().meta({ description: 'When the next attempt after a failure is due; null otherwise.' }),
    reason: z.string().nullable().meta({
      description: 'Why it is waiting, retrying, empty or failed, or why the attempt before the current one failed; null otherwise.',
    }),
    action: z.string().nullable().meta({ description: 'What you can do; null if there is nothing to do.' }),
    requestedAt: time,
    endedAt: time.nullable(),
  })
  .meta({
    id: 'Transcription',
    description: 'A request for captions from the speech of a video, and its state.',
    examples: [
      {
        ...{
          requested: 'auto',
          state: 'running',
          language: null,
          progress: 0.4,
          secondsLeft: 90,
          attempts: 0,
          nextTryAt: null,
          reason: null,
        },
        ...{ action: null, requestedAt: '2026-11-21T09:03:12.000Z', endedAt: null },
      },
    ],
  })
export type Transcription = z.output<typeof transcription>

export const TRANSCRIPT_FORMATS = ['json', 'text', 'vtt', 'srt'] as const

export const transcriptParams = videoParams
export const transcriptQuery = z.object({
  format: z
    .enum(TRANSCRIPT_FORMATS)
    .default('json')
    .meta({ description: '`json` returns `cues` and `words`; `text`, `vtt` and `srt` return the file in `content`.' }),
  language: language.optional().meta({
    description: 'A BCP 47 language tag. Defaults to the language of the generated captions, or else of the first ones.',
    examples: ['en'],
  }),
})

const timed = { startSec: z.number(), endSec: z.number(), text: z.string() }

export const transcript = z
  .object({
    language: z.string(),
    generated: z.boolean().meta({ description: 'Whether we generated the captions from the speech of the video.' }),
    edited: z.boolean().meta({ description: 'Whether a person changed the captions in the dashboard’s editor.' }),
    content: z.string().nullable().meta({ description: 'The transcript as a file; null for `json`.' }),
    cues: z.array(z.object(timed)).nullable().meta({ description: 'The captions in order, with times in seconds; only for `json`.' }),
    words: z.array(z.object(timed)).nullable().meta({
      description: 'The words with their times; only for `json`, and only while nobody has changed the generated captions.',
    }),
  })
  .meta({
    id: 'Transcript',
    description: 'What is said in a video.',
    examples: [
      {
        ...{ language: 'en', generated: true, edited: false, content: null },
        cues: [{ startSec: 0.3, endSec: 2.2, text: 'And so, my fellow Americans,' }],
        words: [{ startSec: 0.32, endSec: 0.55, text: 'And' }],
      },
    ],
  })
export type Transcript = z.output<typeof transcript>
