import { readTime } from '../../../_parts/player/read-time.ts'
import { readColor } from './color.ts'

/** The options in the page's address. */
export interface Options {
  token: string | undefined
  /** Seconds; undefined without a time that can be read. */
  start: number | undefined
  autoplay: boolean
  muted: boolean
  loop: boolean
  /** Whether the video's title is shown over it. */
  title: boolean
  /** Six hexadecimal digits after `#`. */
  color: string | undefined
  /** The language of the captions that are shown from the start (RFC 5646). */
  captions: string | undefined
  /** Whether a button shows the transcript, and whether it is open from the start. */
  transcript: boolean | 'open'
  /** The language of the player's own texts (RFC 5646). */
  lang: string | undefined
  /** The dashboard's preview of a video, which does not count as a viewing. */
  preview: boolean
  /** Whether the page around the player is an element that can fill its own page (element.ts). */
  fills: boolean
}

/** Parses `?token=&t=&autoplay=&muted=&loop=&title=&color=&captions=&transcript=&lang=`. A present flag is on unless its value is `0` or `false`. */
export function readOptions(search: string): Options {
  const query = new URLSearchParams(search)
  const says = (name: string) => !['0', 'false'].includes(query.get(name) ?? '')
  const flag = (name: string) => query.has(name) && says(name)
  const token = query.get('token') ?? undefined
  return {
    token: token || undefined,
    start: readTime(query.get('t') ?? ''),
    autoplay: flag('autoplay'),
    muted: flag('muted'),
    loop: flag('loop'),
    title: says('title'),
    color: readColor(query.get('color')),
    captions: query.get('captions') || undefined,
    transcript: query.get('transcript') === 'open' ? 'open' : flag('transcript'),
    lang: query.get('lang') || undefined,
    preview: flag('preview'),
    fills: flag('fills'),
  }
}
