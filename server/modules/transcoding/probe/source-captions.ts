import { mkdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { AccountId } from '../../../context.ts'
import { isServiceError } from '../../../errors.ts'
import { ffmpeg, guardedInput } from '../../../platform/ffmpeg/ffmpeg.ts'
import { log } from '../../../platform/observe/log.ts'
import { storage } from '../../../platform/storage/storage.ts'
import { isStorageError } from '../../../platform/storage/storage-error.ts'
import { requireStorage } from '../../identity/accounts/storage.ts'
import { addCaptions } from '../../videos/captions/captions.ts'
import { convertCaptions } from '../../videos/captions/captions-convert.ts'
import { CAPTIONS_TOO_LONG, MAX_CAPTION_CHARACTERS, MAX_CAPTION_LANGUAGES, putCaptionsInput } from '../../videos/schema.ts'
import type { DamagedPart } from '../encode/damage.ts'
import { isDiskFault } from '../faults.ts'
import type { Attempt } from '../tasks/attempt.ts'
import { recordStep, type TranscodeLease, whenReachable, whileHeld } from '../tasks/lease.ts'
import { canBeCaptions, type SubtitleTrack } from './source-subtitles.ts'

type Running = Pick<Attempt, 'work' | 'signal'>

/** Time limit of everything that `addSourceCaptions` does. */
const LONGEST_MS = 5 * 60_000
/** Of a pass over the source for all tracks, which decodes no video or audio, and of a pass for a single track if that fails. */
const PASS_MS = { all: 3 * 60_000, one: 30_000 }
/** A file cut off here has more characters than captions may have: no character is longer than 4 bytes. */
const MAX_BYTES = MAX_CAPTION_CHARACTERS * 4
/** For all tracks together, as text in the source. A video's 40 languages take a quarter of it. */
const MAX_ALL_BYTES = 16_000_000

const LEFT_OUT = {
  count: `captions of a file can have at most ${MAX_CAPTION_LANGUAGES} tracks`,
  bytes: `captions of a file can have at most ${MAX_ALL_BYTES / 1e6} MB of text in total`,
  time: `reading the captions of this file took longer than ${LONGEST_MS / 60_000} minutes`,
}
type Limit = keyof typeof LEFT_OUT

const captions = putCaptionsInput.pick({ language: true, label: true })

/**
 * Adds the source's text subtitles as captions, in languages that have none. Safe to repeat. Leaves out a track that cannot become
 * captions, and names it in the video's log. Returns those beyond the limits of number, bytes and time, by limit; for media that is to
 * replace other media, returns the captions without adding them yet. Rejects only when interrupted and on disk and storage faults.
 */
export async function addSourceCaptions(
  lease: TranscodeLease,
  running: Running,
): Promise<{ omitted: DamagedPart[]; captions: FoundCaptions[] }> {
  const { subtitles = [], durationSec = 0 } = lease.plan?.facts ?? {}
  const all = subtitles.filter(canBeCaptions)
  for (const track of subtitles.filter((one) => !canBeCaptions(one)))
    await note(lease, running, notAdded(track, `Their format (${track.codec}) cannot become captions. Upload them as WebVTT or SRT.`))
  if (all.length === 0) return { omitted: [], captions: [] }
  const captions: FoundCaptions[] = []
  const tracks = all.slice(0, MAX_CAPTION_LANGUAGES)
  const leftOut: Record<Limit, SubtitleTrack[]> = { count: all.slice(MAX_CAPTION_LANGUAGES), bytes: [], time: [] }
  const limit = AbortSignal.timeout(LONGEST_MS)
  const files = (await unlessFatal(running.signal, () => extractAll(lease, tracks, { ...running, limit }))) ?? new Map()
  const added: string[] = []
  let left = MAX_ALL_BYTES
  for (const track of tracks) {
    const path = files.get(track.stream)
    const bytes = path && path !== 'late' ? (await stat(path)).size : 0
    if (limit.aborted || path === 'late') leftOut.time.push(track)
    else if (bytes > left) leftOut.bytes.push(track)
    else {
      left -= bytes
      const fault = path && (await unlessFatal(running.signal, () => addTrack(lease, track, { path, captions, ...running })))
      if (fault === null) added.push(nameOf(track))
      else await note(lease, running, notAdded(track, fault || UNREADABLE))
    }
  }
  if (added.length > 0) await note(lease, running, `Captions from the file: ${added.join(', ')}.`)
  const limits = (Object.keys(LEFT_OUT) as Limit[]).filter((one) => leftOut[one].length > 0)
  const omitted = limits.map((one) => ({
    ...{ part: 'captions' as const, track: leftOut[one].map(nameOf).join(', '), startSec: 0, endSec: durationSec, reason: LEFT_OUT[one] },
  }))
  return { omitted, captions }
}

/** A source's captions that a video gets once its media plays. */
export type FoundCaptions = Omit<Parameters<typeof addCaptions>[1], 'videoId'>

const UNREADABLE = 'They are unreadable.'

const note = (lease: TranscodeLease, { signal }: Running, message: string) =>
  whenReachable(() => recordStep(lease, 'store', message), signal)

const notAdded = (track: SubtitleTrack, reason: string) => `The subtitles ${nameOf(track)} were not added: ${reason}`

const nameOf = ({ language, label }: SubtitleTrack) => [label && `“${label}”`, `(${language})`].filter(Boolean).join(' ')

/** Runs a step that may fail because of the file, and returns undefined if it does. */
async function unlessFatal<Result>(signal: AbortSignal, step: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await step()
  } catch (error) {
    if (signal.aborted || isDiskFault(error) || isStorageError(error)) throw error
    log().warn({ err: error }, 'could not add the subtitles of a source')
    return undefined
  }
}

/** Returns the files of the tracks that ffmpeg can read, by stream number, and which ones take too long. */
async function extractAll(
  lease: TranscodeLease,
  tracks: readonly SubtitleTrack[],
  { work, signal, limit }: Running & { limit: AbortSignal },
): Promise<Map<number, string | 'late'>> {
  const folder = join(work, 'captions')
  await mkdir(folder, { recursive: true })
  const source = await storage().localFile(lease.sourceKey, signal)
  const extract = async (some: readonly SubtitleTrack[], passMs: number) => {
    const late = AbortSignal.any([limit, AbortSignal.timeout(passMs)])
    const pass = ffmpeg(extractArguments(source.path, { folder, tracks: some, originSec: lease.plan?.facts.originSec }), {
      signal: AbortSignal.any([signal, late]),
      only: { reads: [source.path], writes: [folder] },
    })
    const done = await unlessFatal(signal, () => pass.then(() => true))
    return some.flatMap((track) => (done || late.aborted ? [[track.stream, done ? fileOf(folder, track) : 'late'] as const] : []))
  }
  try {
    const all = await extract(tracks, PASS_MS.all)
    if (all.some(([, path]) => path !== 'late')) return new Map(all)
    // One of them ends the pass over all.
    const found: (readonly [number, string | 'late'])[] = []
    for (const track of tracks) if (!limit.aborted) found.push(...(await extract([track], PASS_MS.one)))
    return new Map(found)
  } finally {
    await source.release()
  }
}

/** Formats whose packets are written as they are: ffmpeg's own conversion loses rows, and shows drawings. */
const COPIED: Record<string, string> = { ass: 'ass', ssa: 'ass', subrip: 'srt', webvtt: 'webvtt' }
const formatOf = ({ codec = '' }: SubtitleTrack) => COPIED[codec] ?? 'webvtt'
const encoderOf = ({ codec = '' }: SubtitleTrack) => (codec in COPIED ? 'copy' : 'webvtt')
const fileOf = (folder: string, track: SubtitleTrack) => join(folder, `${track.stream}.${formatOf(track)}`)

const extractArguments = (
  source: string,
  { folder, tracks, originSec = 0 }: { folder: string; tracks: readonly SubtitleTrack[]; originSec?: number | undefined },
) => [
  ...(originSec > 0 ? ['-itsoffset', (-originSec).toFixed(6)] : []),
  ...guardedInput(source),
  ...tracks.flatMap((track) => [
    ...['-map', `0:${track.stream}`, '-map_metadata', '-1', '-map_chapters', '-1', '-c:s', encoderOf(track)],
    // A cue from before the video would delay all others. Its negative times make it no cue.
    ...['-avoid_negative_ts', 'disabled', '-fs', String(MAX_BYTES), '-f', formatOf(track), fileOf(folder, track)],
  ]),
]

/** Adds one track. Returns null, or a sentence that says why it was left out. */
async function addTrack(
  lease: TranscodeLease,
  track: SubtitleTrack,
  { path, captions: found, signal }: { path: string; captions: FoundCaptions[]; signal: AbortSignal },
) {
  const { accountId, videoId } = lease
  const content = await readFile(path)
  // Cut off, so its last line may be half of one.
  if (content.length >= MAX_BYTES) return CAPTIONS_TOO_LONG
  const parsed = captions.safeParse(track)
  if (!parsed.success) return parsed.error.issues[0]?.message ?? UNREADABLE
  const { language, label } = parsed.data
  const converted = await convertCaptions({ content, isAss: formatOf(track) === 'ass' })
  if ('refused' in converted) return converted.refused === 'too long' ? CAPTIONS_TOO_LONG : 'They are not UTF-8 text.'
  const { body, cues } = converted
  if (cues === 0) return 'They contain no readable text.'
  try {
    await whenReachable(() => requireStorage({ accountId: accountId as AccountId }, body.byteLength), signal)
  } catch (error) {
    if (isServiceError(error)) return error.message
    throw error
  }
  if (lease.replaces) {
    found.push({ language, label, body, cues })
    return null
  }
  const write = () => whileHeld(lease, (tx) => addCaptions(tx, { videoId, language, label, body, cues }))
  const outcome = await whenReachable(write, signal)
  if (outcome === 'kept') return 'The video already has captions in this language.'
  if (outcome === 'full') return 'The video has captions in the maximum number of languages.'
  return null
}
