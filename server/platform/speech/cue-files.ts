import type { Cue } from './cue-rules.ts'

/** Returns a time of a caption file, such as `00:01:02.500`. `mark` precedes the milliseconds. */
export function timeStamp(sec: number, mark: '.' | ',' = '.'): string {
  const ms = Math.round(sec * 1_000)
  const two = (part: number) => String(Math.floor(part)).padStart(2, '0')
  return `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1_000) % 60)}${mark}${String(ms % 1_000).padStart(3, '0')}`
}

const escaped = (line: string) => line.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Returns captions as a WebVTT file, without tags. */
export const toVttFile = (cues: readonly Cue[]): string =>
  `WEBVTT\n\n${cues.map(({ fromSec, toSec, lines }) => `${timeStamp(fromSec)} --> ${timeStamp(toSec)}\n${lines.map(escaped).join('\n')}\n`).join('\n')}`

/** Returns captions as an SRT file, which knows no escapes. */
export const toSrtFile = (cues: readonly Cue[]): string =>
  cues
    .map(({ fromSec, toSec, lines }, at) => `${at + 1}\n${timeStamp(fromSec, ',')} --> ${timeStamp(toSec, ',')}\n${lines.join('\n')}\n`)
    .join('\n')

/** What looks like a tag, to split a text at: the parts in odd places are such tags. */
export const TAGS = /(<\/?[a-z\d][^<>\n]*>)/i
/** A tag that stored captions may contain. */
export const KEPT_TAG = /^<\/?(?:[biu]|c(?:\.[\w.-]+)?|ruby|rt|v(?:\s[^<>&]*)?|lang(?:\s[\w-]+)?|[\d:.]+)(?<!--)>$/i

const CUE = /^(\S+) --> (\S+)(?: .*)?\n((?:.+\n?)+)/gm
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', nbsp: ' ', lrm: '\u200e', rlm: '\u200f' }

/** Returns the captions of a WebVTT file as this service stores them (normalized), without tags and settings. */
export const readVttFile = (vtt: string): Cue[] =>
  [...vtt.matchAll(CUE)].map(([, from = '', to = '', text = '']) => ({
    fromSec: secondsOf(from),
    toSec: secondsOf(to),
    lines: plainLines(text.replace(/\n$/, '')),
  }))

/** Returns the lines that a cue's text in WebVTT shows. */
export const plainLines = (text: string): string[] =>
  text
    .split(/<[^<>]*>/)
    .map((part) => part.replace(/&(amp|lt|gt|nbsp|lrm|rlm);/g, (_, name: string) => ENTITIES[name] ?? ''))
    .join('')
    .split('\n')

const secondsOf = (stamp: string) => stamp.split(':').reduce((sum, part) => sum * 60 + Number(part), 0)
