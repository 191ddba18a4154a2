import { KEPT_TAG, plainLines, TAGS } from '#server/platform/speech/cue-files'
import { columnsOf, LINE_COLUMNS } from '#server/platform/speech/cue-rules'
import { captionCount } from '../../../../../../_parts/captions/caption-count.ts'
import { formatCount } from '../../../../../../_ui/format.ts'
import { type Cue, formatTime, vttOf } from './cue-document.ts'

/** A change of a document, and what the editor shows after it. */
export interface Change {
  cues: readonly Cue[]
  /** What was done, as a message: `Split`. */
  did: string
  /** The cue that has the focus afterwards, and the position of the caret in it. Undefined if none is left. */
  focus: number | undefined
  caret?: number
  /** The cue that has the focus once the change is undone. */
  from: number | undefined
}
/** A change, or why there is none, as a sentence. */
export type Outcome = Change | { refused: string }

/** The length of a new cue, and the shortest one that an edit leaves. */
const NEW_MS = 2_000
const LEAST_MS = 100
/** The last time that a caption file can have. */
const LAST_MS = 3_599_999_999

const inOrder = (cues: readonly Cue[]) => [...cues].sort((a, b) => a.startMs - b.startMs)
const freshId = (cues: readonly Cue[]) => cues.reduce((most, { id }) => Math.max(most, id), 0) + 1
const put = (cues: readonly Cue[], changed: Cue) => cues.map((cue) => (cue.id === changed.id ? changed : cue))
const find = (cues: readonly Cue[], id: number | undefined) => cues.find((cue) => cue.id === id)

const NONE_CHOSEN = { refused: 'Choose a caption first.' }
const TOO_LATE = { refused: 'A caption can end at 999:59:59.999 at the latest.' }

export function setText(cues: readonly Cue[], id: number, text: string): Outcome {
  const cue = find(cues, id)
  if (!cue) return NONE_CHOSEN
  return { cues: put(cues, { ...cue, text, vtt: vttOf(text) }), did: 'Changed the text', focus: id, from: id }
}

/** Moves the beginning or the end of a cue. A beginning after the end takes the end along. */
export function setTime(cues: readonly Cue[], id: number | undefined, edge: 'start' | 'end', ms: number): Outcome {
  const cue = find(cues, id)
  if (!cue) return NONE_CHOSEN
  const at = Math.max(0, Math.round(ms))
  if (edge === 'end' && at <= cue.startMs) return { refused: `The end must be after the start, ${formatTime(cue.startMs)}.` }
  const endMs = edge === 'end' ? at : at < cue.endMs ? cue.endMs : at + cue.endMs - cue.startMs
  if (endMs > LAST_MS) return TOO_LATE
  const changed = { ...cue, startMs: edge === 'start' ? at : cue.startMs, endMs }
  return { cues: inOrder(put(cues, changed)), did: edge === 'start' ? 'Moved the start' : 'Moved the end', focus: cue.id, from: cue.id }
}

interface At {
  /** Position of the caret in the text. Undefined if the focus is elsewhere. */
  caret?: number | undefined
  playheadMs: number
}

/**
 * Divides a cue at the caret, and its time at the playhead where that is within the cue, else by the lengths of the texts. With the caret
 * at an end of the text, the playhead divides the text as well, between two words.
 */
export function split(cues: readonly Cue[], id: number | undefined, { caret, playheadMs }: At): Outcome {
  const cue = find(cues, id)
  if (!cue) return NONE_CHOSEN
  const lengthMs = cue.endMs - cue.startMs
  const isWithin = playheadMs - cue.startMs >= LEAST_MS && cue.endMs - playheadMs >= LEAST_MS
  const share = isWithin ? (playheadMs - cue.startMs) / lengthMs : undefined
  const place = placeOf(cue.text, caret) ?? (share === undefined ? undefined : wordAt(cue.text, share))
  if (place === undefined) return { refused: 'Place the cursor where the second caption begins.' }
  if (lengthMs < 2 * LEAST_MS) return { refused: 'This caption is too short to split.' }
  const [first, second] = divideTags(cue.text.slice(0, place).trimEnd(), cue.text.slice(place).trimStart())
  const part = share ?? columnsOf(cue.text.slice(0, place)) / Math.max(1, columnsOf(cue.text))
  const cutMs = Math.round(cue.startMs + Math.min(Math.max(part * lengthMs, LEAST_MS), lengthMs - LEAST_MS))
  const id2 = freshId(cues)
  const parts = [
    { ...cue, endMs: cutMs, text: first, vtt: vttOf(first) },
    { ...cue, id: id2, startMs: cutMs, text: second, vtt: vttOf(second) },
  ]
  return { cues: inOrder(cues.flatMap((one) => (one === cue ? parts : [one]))), did: 'Split', focus: id2, caret: 0, from: cue.id }
}

const ANY_TAG = /<[^<>\n]*>/g

/** Returns the caret if text is on both of its sides, moved out of a tag. */
function placeOf(text: string, caret: number | undefined): number | undefined {
  if (caret === undefined) return undefined
  const tag = [...text.matchAll(ANY_TAG)].find(({ index, 0: whole }) => index < caret && caret < index + whole.length)
  const at = tag ? tag.index + tag[0].length : caret
  const { from, to } = placesOf(text)
  return from <= at && at <= to ? at : undefined
}

/** Returns where the word begins that is nearest to this share of a text. Undefined for a text of one word. */
function wordAt(text: string, share: number): number | undefined {
  const { from, to } = placesOf(text)
  const withoutTags = text.replace(ANY_TAG, (tag) => '-'.repeat(tag.length))
  const starts = Array.from(withoutTags.matchAll(/(?<=\s)\S/g), ({ index }) => index).filter((at) => from <= at && at <= to)
  const distance = (at: number) => Math.abs(at - share * text.length)
  return starts.sort((a, b) => distance(a) - distance(b))[0]
}

/** Returns the first and the last place that have text on both sides. Without such a place, the first is after the last. */
function placesOf(text: string): { from: number; to: number } {
  const places = { from: Number.POSITIVE_INFINITY, to: 0 }
  let at = 0
  for (const part of text.split(TAGS)) {
    if (part.trim() !== '' && !KEPT_TAG.test(part)) {
      places.from = Math.min(places.from, at + part.search(/\S/) + 1)
      places.to = at + part.trimEnd().length - 1
    }
    at += part.length
  }
  return places
}

interface OpenTag {
  name: string
  tag: string
  at: number
}

/** Returns two parts of a text, of which the first closes the tags that are open at its end, and the second opens them again. */
function divideTags(first: string, second: string): [string, string] {
  const byName = new Map<string, OpenTag[]>()
  for (const { 0: tag, 1: slash, 2: called = '', index: at } of first.matchAll(/<(\/?)([a-z]+)\b[^<>\n]*>/gi)) {
    const name = called.toLowerCase()
    const same = byName.get(name) ?? []
    if (slash === '') same.push({ name, tag, at })
    else same.pop()
    byName.set(name, same)
  }
  const open = [...byName.values()].flat().sort((a, b) => a.at - b.at)
  const closedLater = new Set(Array.from(second.matchAll(/<\/([a-z]+)>/gi), ([, name]) => name?.toLowerCase()))
  const ends = open.filter(({ name }) => closedLater.has(name)).map(({ name }) => `</${name}>`)
  const starts = open.map(({ tag }) => tag)
  return [withoutEmpty(first + ends.toReversed().join('')).trimEnd(), withoutEmpty(starts.join('') + second)]
}

const withoutEmpty = (text: string) => text.replace(/<([a-z]+)\b[^<>]*><\/\1>/gi, '')

/** Joins a cue with the next one. */
export function merge(cues: readonly Cue[], id: number | undefined): Outcome {
  const at = cues.findIndex((cue) => cue.id === id)
  const [cue, next] = [cues[at], cues[at + 1]]
  if (!cue) return NONE_CHOSEN
  if (!next) return { refused: 'There is no caption after this one.' }
  const texts = [cue.text.trimEnd(), next.text.trimStart()].filter((text) => text !== '')
  const [line = '', ...more] = plainLines(vttOf(texts.join(' ')))
  const text = texts.join(more.length === 0 && columnsOf(line) <= LINE_COLUMNS ? ' ' : '\n')
  const merged = { ...cue, endMs: Math.max(cue.endMs, next.endMs), text, vtt: vttOf(text) }
  return {
    cues: cues.flatMap((one) => (one === cue ? [merged] : one === next ? [] : [one])),
    did: 'Merged',
    focus: cue.id,
    caret: texts.length === 2 ? (texts[0]?.length ?? 0) + 1 : text.length,
    from: cue.id,
  }
}

/** Inserts an empty cue at the playhead if no cue is shown there, else after the cue with this ID. */
export function insert(cues: readonly Cue[], afterId: number | undefined, playheadMs: number): Outcome {
  const shown = cues.some(({ startMs, endMs }) => startMs < playheadMs + LEAST_MS && playheadMs < endMs)
  const after = find(cues, afterId) ?? cues.findLast(({ startMs }) => startMs <= playheadMs)
  const startMs = shown && after ? after.endMs : Math.round(playheadMs)
  const next = cues.find((cue) => cue.startMs >= startMs)
  const endMs = Math.min(startMs + NEW_MS, next?.startMs ?? Number.POSITIVE_INFINITY)
  if (endMs - startMs < LEAST_MS) return { refused: 'There is no time left between these captions. Split the caption, or move its end.' }
  const id = freshId(cues)
  const added = { id, startMs, endMs, settings: '', vtt: '', text: '' }
  return { cues: inOrder([...cues, added]), did: 'Added a caption', focus: id, caret: 0, from: after?.id }
}

export function remove(cues: readonly Cue[], id: number | undefined): Outcome {
  const at = cues.findIndex((cue) => cue.id === id)
  if (at < 0) return NONE_CHOSEN
  const next = cues[at + 1] ?? cues[at - 1]
  return { cues: cues.filter((cue) => cue.id !== id), did: 'Deleted the caption', focus: next?.id, caret: 0, from: id }
}

/** Moves all cues, or those from one on, by a time that may be negative. */
export function shift(cues: readonly Cue[], byMs: number, fromId?: number): Outcome {
  const from = fromId === undefined ? 0 : cues.findIndex((cue) => cue.id === fromId)
  const moved = from < 0 ? [] : cues.slice(from)
  const [first] = moved
  if (!first) return NONE_CHOSEN
  if (first.startMs + byMs < 0) return { refused: `The first caption starts at ${formatTime(first.startMs)}: none can start before 0:00.` }
  if (moved.some(({ endMs }) => endMs + byMs > LAST_MS)) return TOO_LATE
  const cuesThen = [...cues.slice(0, from), ...moved.map((cue) => ({ ...cue, startMs: cue.startMs + byMs, endMs: cue.endMs + byMs }))]
  return { cues: inOrder(cuesThen), did: `Moved ${captionCount(moved.length)}`, focus: fromId, from: fromId }
}

/** A found place: the cue, and the positions in its text. */
export interface Match {
  id: number
  from: number
  to: number
}

/** Finds a text in all cues, never within a tag. */
export function findAll(cues: readonly Pick<Cue, 'id' | 'text'>[], wanted: string, matchCase: boolean): Match[] {
  if (wanted === '') return []
  const literal = wanted.normalize().replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
  const pattern = new RegExp(`(<[^<>\\n]*>)|${literal}`, matchCase ? 'gu' : 'giu')
  return cues.flatMap(({ id, text }) =>
    [...text.matchAll(pattern)].flatMap(({ 0: found, 1: tag, index }) =>
      tag === undefined ? [{ id, from: index, to: index + found.length }] : [],
    ),
  )
}

/** Replaces found places, which are in order. */
export function replace(cues: readonly Cue[], matches: readonly Match[], by: string): Outcome {
  const [first] = matches
  if (!first) return { refused: 'Nothing was found.' }
  const byId = Map.groupBy(matches, ({ id }) => id)
  const changed = cues.map((cue) => {
    const places = byId.get(cue.id)
    if (!places) return cue
    const parts = places.map(({ from }, at) => cue.text.slice(places[at - 1]?.to ?? 0, from) + by)
    const text = parts.join('') + cue.text.slice(places.at(-1)?.to)
    return { ...cue, text, vtt: vttOf(text) }
  })
  const did = matches.length === 1 ? 'Replaced' : `Replaced ${formatCount(matches.length)} times`
  return { cues: changed, did, focus: undefined, from: first.id }
}
