import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AccountId } from '../../context.ts'
import { isServiceError } from '../../errors.ts'
import { ffmpeg, guardedInput } from '../../platform/ffmpeg.ts'
import { log } from '../../platform/log.ts'
import { storage } from '../../platform/storage/storage.ts'
import { isStorageError } from '../../platform/storage/storage-error.ts'
import { textOfFile } from '../../platform/text-file.ts'
import { requireStorage } from '../accounts/storage-quota.ts'
import { addCaptions } from '../videos/captions-add.ts'
import { assToSrt } from '../videos/captions-ass.ts'
import { toWebVtt } from '../videos/captions-text.ts'
import { MAX_CAPTION_CHARACTERS, putCaptionsInput } from '../videos/schema.ts'
import type { Attempt } from './attempt.ts'
import { isDiskFault } from './faults.ts'
import { whenReachable } from './keep-lease.ts'
import { recordStep, type TranscodeLease, whileHeld } from './lease.ts'
import type { SubtitleTrack } from './source-subtitles.ts'

type Running = Pick<Attempt, 'work' | 'signal'>

/** Time limit of one pass over the source, which decodes no picture and no sound. */
const EXTRACT_MS = 15 * 60_000
/** A file that is cut off here has more characters than captions may have: no character is longer than 4 bytes. */
const MAX_BYTES = MAX_CAPTION_CHARACTERS * 4

const captions = putCaptionsInput.pick({ language: true, label: true, text: true })

/**
 * Adds the text subtitles of the source as captions, in the languages that have none. Safe to repeat. A track that cannot become captions is
 * left out and named in the video's log. Rejects when interrupted and on faults of disk and storage alone.
 */
export async function addSourceCaptions(lease: TranscodeLease, running: Running): Promise<void> {
  const tracks = lease.plan?.facts.subtitles ?? []
  if (tracks.length === 0) return
  const files = await unlessFatal(running.signal, () => extractAll(lease, tracks, running))
  const added: string[] = []
  for (const track of tracks) {
    const path = files?.get(track.stream)
    const fault = path === undefined ? UNREADABLE : await unlessFatal(running.signal, () => addTrack(lease, track, { path, ...running }))
    if (fault === null) added.push(nameOf(track))
    else await note(lease, running, `The subtitles ${nameOf(track)} were not added: ${fault ?? UNREADABLE}`)
  }
  if (added.length > 0) await note(lease, running, `Captions from the file: ${added.join(', ')}.`)
}

const UNREADABLE = 'They cannot be read.'

const note = (lease: TranscodeLease, { signal }: Running, message: string) =>
  whenReachable(() => recordStep(lease, 'store', message), signal)

const nameOf = ({ language, label }: SubtitleTrack) => [label && `“${label}”`, `(${language})`].filter(Boolean).join(' ')

/** Runs a step that may fail because of the file. Returns undefined when it fails so. */
async function unlessFatal<Result>(signal: AbortSignal, step: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await step()
  } catch (error) {
    if (signal.aborted || isDiskFault(error) || isStorageError(error)) throw error
    log().warn({ err: error }, 'subtitles of a source could not be added')
    return undefined
  }
}

/** Returns the files of the tracks that ffmpeg can read, by stream number. */
async function extractAll(
  lease: TranscodeLease,
  tracks: readonly SubtitleTrack[],
  { work, signal }: Running,
): Promise<Map<number, string>> {
  const folder = join(work, 'captions')
  await mkdir(folder, { recursive: true })
  const source = await storage().localFile(lease.sourceKey, signal)
  const limit = AbortSignal.any([signal, AbortSignal.timeout(EXTRACT_MS)])
  const extract = async (some: readonly SubtitleTrack[]) => {
    await ffmpeg(extractArguments(source.path, { folder, tracks: some, originSec: lease.plan?.facts.originSec }), {
      signal: limit,
      only: { reads: [source.path], writes: [folder] },
    })
    return some.map((track) => [track.stream, fileOf(folder, track)] as const)
  }
  try {
    const all = await unlessFatal(signal, () => extract(tracks))
    if (all) return new Map(all)
    // One of them ends the pass over all.
    const found: (readonly [number, string])[] = []
    for (const track of tracks) found.push(...((await unlessFatal(signal, () => extract([track]))) ?? []))
    return new Map(found)
  } finally {
    await source.release()
  }
}

/** Formats in which packets are written as they are: ffmpeg's own conversion loses rows, and shows drawings. */
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
    ...['-fs', String(MAX_BYTES), '-f', formatOf(track), fileOf(folder, track)],
  ]),
]

/** Adds one track. Returns null, or a sentence why it was left out. */
async function addTrack(lease: TranscodeLease, track: SubtitleTrack, { path, signal }: { path: string; signal: AbortSignal }) {
  const { accountId, videoId } = lease
  const bytes = await readFile(path)
  const content = textOfFile(bytes)
  if (content === undefined) return 'They are not UTF-8 text.'
  const isCutOff = bytes.length >= MAX_BYTES
  const parsed = captions.safeParse({ ...track, text: formatOf(track) === 'ass' && !isCutOff ? assToSrt(content) : content })
  if (!parsed.success) return parsed.error.issues[0]?.message ?? UNREADABLE
  const { language, label, text } = parsed.data
  const { vtt, cues } = toWebVtt(text)
  if (cues === 0) return 'They contain no readable text.'
  try {
    await whenReachable(() => requireStorage({ accountId: accountId as AccountId }, Buffer.byteLength(vtt)), signal)
  } catch (error) {
    if (isServiceError(error)) return error.message
    throw error
  }
  const write = () => whileHeld(lease, (tx) => addCaptions(tx, { videoId, language, label, vtt, cues }))
  const outcome = await whenReachable(write, signal)
  if (outcome === 'kept') return 'The video already has captions in this language.'
  if (outcome === 'full') return 'The video has captions in as many languages as it can have.'
  return null
}
