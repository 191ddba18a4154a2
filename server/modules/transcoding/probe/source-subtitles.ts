import { z } from 'zod'
import { captionTag } from '../../videos/captions/captions.ts'
import { readLanguage } from '../plan/audio-tracks.ts'
import { cleanName } from '../plan/track-name.ts'

/** A subtitle track in the source, which becomes captions if it is text. */
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

const TEXT_CODECS = ['subrip', 'ass', 'ssa', 'webvtt', 'mov_text']
/** Returns whether a track can become captions. TTML and pictures of text (DVD, Blu-ray, DVB) cannot. */
export const canBeCaptions = ({ codec }: Pick<SubtitleTrack, 'codec'>) => codec === undefined || TEXT_CODECS.includes(codec)
const MAX_LABEL = 60

const probed = z.object({
  streams: z
    .array(
      z.object({
        index: z.number(),
        codec_type: z.string().optional(),
        codec_name: z.string().optional(),
        codec_tag_string: z.string().optional(),
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
 * Returns the subtitle tracks in ffprobe's JSON: the first text of each language, the other texts, then those that cannot become captions.
 * Undefined if there are none. Leaves out forced ones, which only translate signs.
 */
export function readSubtitles(found: unknown): SubtitleTrack[] | undefined {
  const seen = new Map<string, number>()
  const all = probed
    .parse(found)
    // To ffprobe, TTML in an MP4 is data.
    .streams.map((one) => (one.codec_tag_string === 'stpp' ? { ...one, codec_type: 'subtitle', codec_name: 'ttml' } : one))
    .filter((one) => one.codec_type === 'subtitle' && one.disposition?.forced !== 1)
    .map(({ index, tags, codec_name: codec }) => {
      const language = readLanguage(tags?.language) ?? 'und'
      const track = { stream: index, language, label: labelOf(tags?.title), codec: codec ?? 'unknown' }
      if (!canBeCaptions(track)) return { rank: 2, track }
      const number = (seen.get(language) ?? 0) + 1
      seen.set(language, number)
      return { rank: number === 1 ? 0 : 1, track: { ...track, language: captionTag(language, number) } }
    })
  return all.length > 0 ? all.sort((a, b) => a.rank - b.rank).map(({ track }) => track) : undefined
}

const labelOf = (title = '') => Array.from(cleanName(title)).slice(0, MAX_LABEL).join('').trim()
