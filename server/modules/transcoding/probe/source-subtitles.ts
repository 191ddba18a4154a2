import { z } from 'zod'
import { captionTag } from '../../videos/captions/captions.ts'
import { readLanguage } from '../plan/audio-tracks.ts'
import { cleanName } from '../plan/track-name.ts'

/** A text subtitle track in the source, which becomes captions. */
export interface SubtitleTrack {
  /** Stream number within the file. */
  stream: number
  /** BCP 47, different for each track (`captionTag`). `und` if the source does not state it. */
  language: string
  /** Name in the source. Empty if it has none. */
  label: string
  /** ffprobe's name. Absent in earlier versions' plans. */
  codec?: string
}

/** Pictures of text (DVD, Blu-ray, DVB) cannot become captions. */
const TEXT_CODECS = ['subrip', 'ass', 'ssa', 'webvtt', 'mov_text']
const MAX_LABEL = 60

const probed = z.object({
  streams: z
    .array(
      z.object({
        index: z.number(),
        codec_type: z.string().optional(),
        codec_name: z.string().optional(),
        disposition: z.object({ forced: z.number().optional() }).optional().catch(undefined),
        tags: z
          .object({ language: z.string().optional().catch(undefined), title: z.string().optional().catch(undefined) })
          .optional()
          .catch(undefined),
      }),
    )
    .default([]),
})

/**
 * Returns the subtitle tracks in ffprobe's JSON that can become captions: the first of each language, then the rest. Undefined if there are
 * none. Leaves out forced ones, which only translate signs.
 */
export function readSubtitles(found: unknown): SubtitleTrack[] | undefined {
  const seen = new Map<string, number>()
  const texts = probed
    .parse(found)
    .streams.filter((one) => one.codec_type === 'subtitle' && TEXT_CODECS.includes(one.codec_name ?? '') && one.disposition?.forced !== 1)
    .map(({ index, tags, codec_name: codec }) => {
      const language = readLanguage(tags?.language) ?? 'und'
      const number = (seen.get(language) ?? 0) + 1
      seen.set(language, number)
      return {
        number,
        track: { stream: index, language: captionTag(language, number), label: labelOf(tags?.title), ...(codec && { codec }) },
      }
    })
  const ordered = [...texts.filter(({ number }) => number === 1), ...texts.filter(({ number }) => number > 1)]
  return ordered.length > 0 ? ordered.map(({ track }) => track) : undefined
}

const labelOf = (title = '') => Array.from(cleanName(title)).slice(0, MAX_LABEL).join('').trim()
