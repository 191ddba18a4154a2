import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { copySource } from '../../modules/transcoding/encode/copy-source.ts'
import { trackDespiteDamage } from '../../modules/transcoding/encode/damaged-track.ts'
import { encodeAudio } from '../../modules/transcoding/encode/encode-audio.ts'
import { encodeChunk } from '../../modules/transcoding/encode/encode-chunk.ts'
import type { EncodedAudio, EncodedRendition, EncodedSegment } from '../../modules/transcoding/encode/encoded.ts'
import { OWN_FORMAT } from '../../modules/transcoding/encode/segment-files.ts'
import type { TranscodePlan } from '../../modules/transcoding/plan/plan.ts'
import { planOf } from '../../modules/transcoding/plan/plan-video.ts'
import { refuseIncomplete } from '../../modules/transcoding/probe/incomplete-source.ts'
import { ffmpeg } from '../../platform/ffmpeg/ffmpeg.ts'

const never = new AbortController().signal

interface Options {
  targetQuality: string
  /** An existing folder, under which a new one receives the output. */
  scratch: string
  /** Time limit of each task. */
  patienceMs?: number
  /** Called with the encoded share of each chunk, 0 to 1. */
  onProgress?: (share: number, position: number) => void
}

/** What a file's plan's tasks yield: only video in the renditions, highest first, and audio in the tracks. */
export interface EncodedFile {
  plan: TranscodePlan
  renditions: EncodedRendition[]
  /** In the order of the plan. */
  tracks: EncodedAudio[]
}

/** Plans a file and encodes its chunks and tracks, without a database. Throws SourceRejectedError as the tasks do. */
export async function encodeFile(source: string, { targetQuality, scratch, patienceMs, onProgress }: Options): Promise<EncodedFile> {
  const plan = await planOf(source, targetQuality, never)
  const folder = () => mkdtemp(join(scratch, 'task-'))
  const task = { source, plan, signal: never, patienceMs }
  const frames: number[] = []
  const renditions: EncodedRendition[] = []
  if (plan.copy?.kept) renditions.push(await copySource({ ...task, copy: plan.copy, folder: await folder() }))
  for (const chunk of plan.chunks) {
    const report = (share: number) => onProgress?.(share, chunk.position)
    const encoded = await encodeChunk({ ...task, folder: await folder(), chunk, onProgress: report })
    frames.push(encoded.frames)
    for (const one of encoded.renditions) {
      const before = renditions.find(({ spec }) => spec.quality === one.spec.quality)
      if (before) before.segments.push(...one.segments)
      else renditions.push({ ...one, segments: [...one.segments] })
    }
  }
  const tracks: EncodedAudio[] = []
  for (const track of plan.facts.audio) {
    const { encoded } = await trackDespiteDamage({ ...task, folder: await folder(), track, isLast: true }, async (pass) => ({
      encoded: await encodeAudio({ ...task, ...pass, onProgress: () => {} }),
    }))
    tracks.push(encoded)
  }
  refuseIncomplete(plan, { frames, audioSec: tracks.map(({ segments }) => secondsOf(segments)) })
  return { plan, renditions, tracks }
}

export const secondsOf = (segments: readonly EncodedSegment[]): number => segments.reduce((sum, one) => sum + one.durationSec, 0)

/** Joins segments into one MPEG-TS next to the first of them, keeping their times. Returns its path. */
export async function joinSegments(segments: readonly EncodedSegment[]): Promise<string> {
  const path = `${firstOf(segments)}.joined.ts`
  await ffmpeg(['-copyts', ...inputOf(segments), '-map', '0', '-c', 'copy', path])
  return path
}

/** Joins a rendition (the lowest by default) and the default track into one MPEG-TS, as players combine them. Returns its path. */
export async function joinFile({ plan, renditions, tracks }: EncodedFile, rendition = renditions.at(-1)): Promise<string> {
  const picture = rendition?.segments ?? []
  const sound = tracks[plan.facts.audio.findIndex(({ isDefault }) => isDefault)]
  if (!sound) return joinSegments(picture)
  const path = `${firstOf(picture)}.with-sound.ts`
  await ffmpeg(['-copyts', ...inputOf(picture), ...inputOf(sound.segments), '-map', '0:v', '-map', '1:a', '-c', 'copy', path])
  return path
}

const inputOf = (segments: readonly EncodedSegment[]) => [...OWN_FORMAT, '-i', `concat:${segments.map(({ path }) => path).join('|')}`]

function firstOf([first]: readonly EncodedSegment[]): string {
  if (!first) throw new Error('no segments were encoded')
  return first.path
}
