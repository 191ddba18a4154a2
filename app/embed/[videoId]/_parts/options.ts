import { readColor } from './color.ts'

/** The options in the page's address. */
export interface Options {
  token: string | undefined
  /** Seconds. */
  start: number
  autoplay: boolean
  muted: boolean
  loop: boolean
  /** Whether the video's title is shown over it. */
  title: boolean
  /** Six hexadecimal digits after `#`. */
  color: string | undefined
  /** The language of the captions that are shown from the start (RFC 5646). */
  captions: string | undefined
  /** The language of the player's own texts (RFC 5646). */
  lang: string | undefined
  /** The dashboard's preview of a video, which does not count as a viewing. */
  preview: boolean
  /** Whether the page around the player is an element that can fill its own page (element.ts). */
  fills: boolean
}

/** Parses `?token=&t=&autoplay=&muted=&loop=&title=&color=&captions=&lang=`. A present flag is on unless its value is `0` or `false`. */
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
    lang: query.get('lang') || undefined,
    preview: flag('preview'),
    fills: flag('fills'),
  }
}

/** Returns the seconds in `90`, `90s`, `1m30s`, `1h2m3s`, `1:30` or `1:02:03`; 0 for anything else. */
export function readTime(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text)
  if (/^\d+(:[0-5]?\d){1,2}$/.test(text)) return text.split(':').reduce((sum, part) => sum * 60 + Number(part), 0)
  const parts = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/.exec(text)
  const [hours, minutes, seconds] = parts?.slice(1).map((part) => Number(part ?? 0)) ?? []
  return (hours ?? 0) * 3600 + (minutes ?? 0) * 60 + (seconds ?? 0)
}
