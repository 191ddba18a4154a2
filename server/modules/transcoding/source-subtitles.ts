import { z } from 'zod'
import { readLanguage } from './audio-tracks.ts'
import { cleanName } from './track-name.ts'

/** A track of text subtitles of the source, which becomes captions. */
export interface SubtitleTrack {
  /** Stream number within the file. */
  stream: number
  /** BCP 47; `und` when the source does not state it. */
  language: string
  /** Name in the source; empty when it has none. */
  label: string
  /** Set when an earlier track has the same language: it is left out and named in the video's log. */
  repeatsLanguage?: true
}

/** Tracks of different languages that are kept, and repeated ones that are named, in the order of the file. */
export const MAX_SUBTITLE_TRACKS = 8
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
 * Returns the subtitle tracks in ffprobe's JSON that become captions, then those whose language an earlier one has, or undefined when there
 * are none. Forced ones are left out: they translate signs alone, and a video has one caption file for each language.
 */
export function readSubtitles(found: unknown): SubtitleTrack[] | undefined {
  const texts = probed
    .parse(found)
    .streams.filter((one) => one.codec_type === 'subtitle' && TEXT_CODECS.includes(one.codec_name ?? '') && one.disposition?.forced !== 1)
    .map(({ index, tags }) => ({ stream: index, language: readLanguage(tags?.language) ?? 'und', label: labelOf(tags?.title) }))
  const isFirst = ({ language }: SubtitleTrack, at: number) => texts.findIndex((one) => one.language === language) === at
  const kept = texts.filter(isFirst).slice(0, MAX_SUBTITLE_TRACKS)
  const others = texts.filter((one, at) => !isFirst(one, at)).slice(0, MAX_SUBTITLE_TRACKS)
  return kept.length > 0 ? [...kept, ...others.map((one) => ({ ...one, repeatsLanguage: true as const }))] : undefined
}

const labelOf = (title = '') => Array.from(cleanName(title)).slice(0, MAX_LABEL).join('').trim()
