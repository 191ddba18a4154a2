import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { env } from '../../../platform/config/config.ts'
import { ProgramFailed } from '../../../platform/ffmpeg/ffmpeg.ts'
import type { Chunk, TranscodePlan } from '../plan/plan.ts'
import { countPackets, decodedFrames } from '../probe/decoded-spans.ts'
import { isUndecodable, SourceUndecodableError } from '../probe/source-fault.ts'
import type { Span } from '../tasks/store.ts'
import { gapsBetween, spanOf } from './damage.ts'
import { undecodable } from './encode-chunk.ts'
import type { EncodedChunk } from './encoded.ts'
import { hasPictureAfter, lastGoodPicture } from './last-good-picture.ts'

/** What one pass of `encodeChunk` works with. */
export interface ChunkPass {
  source: string
  folder: string
  plan: TranscodePlan
  chunk: Chunk
}

interface Input extends ChunkPass {
  signal: AbortSignal
  /** Whether this is the last attempt, after which a crash of the decoder counts as damage in the file. */
  isLast: boolean
}

/** Share of a chunk's packets that must be decodable, as ffmpeg limits it itself. A frame of two fields can have two packets. */
const LEAST_DECODED = 1 / 3

/**
 * Encodes a chunk whose source may be damaged there. ffmpeg conceals what it can. If TRANSCODE_REPLACE_DAMAGED allows it, missing frames
 * show the frame before them, and a chunk without a decodable frame shows the source's last one before it, for as many frames as planned.
 * Otherwise, a chunk of which less than a third can be decoded throws SourceUndecodableError. `encode` runs `encodeChunk` once. `damage`
 * lists the spans without a decodable frame. Throws what `encode` throws.
 */
export async function despiteDamage<Done extends { encoded: EncodedChunk }>(
  input: Input,
  encode: (pass: ChunkPass) => Promise<Done>,
): Promise<Done & { damage: Span[] }> {
  const { source, plan, chunk, signal, isLast } = input
  const replaces = env().TRANSCODE_REPLACE_DAMAGED
  let failure: unknown
  const first = await encode(input).catch((error: Error) => {
    if (!replaces || !(isUndecodable(error) || (isLast && isCrash(error)))) throw error
    failure = error
    return undefined
  })
  const isShort = first !== undefined && chunk.frames !== null && first.encoded.frames < chunk.frames
  if (first && !isShort && !first.encoded.damaged) return { ...first, damage: [] }
  // A source that ends early is not damaged: the last step decides about it.
  if (first && isShort && !(replaces && (await hasPictureAfter({ source, plan, chunk, signal })))) return { ...first, damage: [] }

  const whole = spanOf(plan, chunk)
  const frames = await decodedFrames(input, chunk, whole.toSec)
  if (!replaces) {
    const own = frames.filter(({ fromSec }) => fromSec >= whole.fromSec).length
    const packets = await countPackets(input, chunk, whole)
    if (own < packets * LEAST_DECODED) throw new SourceUndecodableError(undecodable(plan, chunk))
  }
  // If the chunk has no frame, the last one of the run-up is shown.
  if (first && frames.length > 0 && !(isShort && frames.every(({ fromSec }) => fromSec < whole.fromSec))) {
    const damage = gapsBetween(frames, whole)
    return isShort ? { ...(await encode(await padded(input))), damage } : { ...first, damage }
  }
  if (first && !replaces) return { ...first, damage: [whole] }
  const still = await stillPass(input)
  if (still) return { ...(await encode(still)), damage: [whole] }
  if (first) return { ...first, damage: [whole] }
  throw failure
}

const isCrash = (error: Error) => error instanceof ProgramFailed && error.crashed

/** Returns a pass in which the last frame is shown until the chunk's end. */
async function padded({ source, folder, plan, chunk }: Input): Promise<ChunkPass> {
  const { fromSec, toSec } = spanOf(plan, chunk)
  const facts = { ...plan.facts, pictureEndsEarlySec: Math.ceil(toSec - fromSec) + 1 }
  return { source, folder: await folderIn(folder, 'padded'), plan: { ...plan, facts }, chunk }
}

/** Returns a pass in which the last good frame is shown throughout. Undefined if there is none. */
async function stillPass({ source, folder, plan, chunk, signal }: Input): Promise<ChunkPass | undefined> {
  const picture = await lastGoodPicture({ source, folder: await folderIn(folder, 'picture'), plan, chunk, signal })
  if (!picture) return undefined
  // That frame is the video's only one, and is shown until the chunk's end.
  const facts = {
    ...plan.facts,
    ...{ videoStream: 0, container: 'matroska', interlaced: false, audio: [] },
    pictureEndsEarlySec: Math.ceil(spanOf(plan, chunk).toSec) + 1,
  }
  const replaced = { ...chunk, frames: chunk.expectedFrames, seek: null }
  return {
    source: picture,
    folder: await folderIn(folder, 'replaced'),
    plan: { ...plan, facts },
    chunk: replaced,
  }
}

async function folderIn(folder: string, name: string): Promise<string> {
  const path = join(folder, name)
  await mkdir(path, { recursive: true })
  return path
}
