import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { env } from '../../../platform/config/config.ts'
import { ProgramFailed } from '../../../platform/ffmpeg/ffmpeg.ts'
import type { AudioTrack } from '../plan/audio-tracks.ts'
import type { TranscodePlan } from '../plan/plan.ts'
import { decodedSound } from '../probe/decoded-spans.ts'
import { isUndecodable, SourceUndecodableError } from '../probe/source-fault.ts'
import type { Span } from '../tasks/store.ts'
import { gapsBetween } from './damage.ts'
import { type EvenSound, evenSound, LayoutChanges, undecodableSound } from './encode-audio.ts'
import type { EncodedAudio } from './encoded.ts'

/** What one pass of `encodeAudio` works with. */
export interface TrackPass {
  folder: string
  track: AudioTrack
  /** Whether to encode silence instead of the track. */
  silent: boolean
  /** The decoded track, if its layout or rate changes. */
  even?: EvenSound
}

interface Input {
  source: string
  folder: string
  plan: TranscodePlan
  track: AudioTrack
  signal: AbortSignal
  /** Whether this is the last attempt, after which a crash of the decoder counts as damage in the file. */
  isLast: boolean
}

/** From this share without decodable audio, a track counts as damaged. */
const MOST_LOST = 2 / 3
/** Seconds that audio may end before the video without being extended. */
const SHORT_SEC = 1

/**
 * Encodes a track whose source may be damaged: gaps become silence. If TRANSCODE_REPLACE_DAMAGED allows it, any share of it can be gaps,
 * and a track that cannot be decoded at all is silent. Otherwise, two thirds of gaps throw SourceUndecodableError. `encode` runs
 * `encodeAudio` once. Throws what `encode` throws.
 */
export async function trackDespiteDamage<Done extends { encoded: EncodedAudio }>(
  input: Input,
  encode: (pass: TrackPass) => Promise<Done>,
): Promise<Done & { damage: Span[] }> {
  const { folder, plan, track, isLast } = input
  const replaces = env().TRANSCODE_REPLACE_DAMAGED
  const whole = { fromSec: 0, toSec: plan.facts.durationSec }
  let even: EvenSound | undefined
  const inOneLayout = async (error: unknown) => {
    if (!(error instanceof LayoutChanges)) throw error
    const own = await folderIn(folder, 'even')
    even = await evenSound({ ...input, folder: own })
    return encode({ folder: own, track, silent: false, even })
  }
  const pass = { folder, track, silent: false }
  const first = await encode(pass)
    .catch(inOneLayout)
    .catch((error: Error) => {
      const isDamaged = isUndecodable(error) || (isLast && error instanceof ProgramFailed && error.crashed)
      if (!replaces || !isDamaged) throw error
      return undefined
    })
  if (!first) return { ...(await encode({ folder: await folderIn(folder, 'silent'), track, silent: true })), damage: [whole] }
  if (!first.encoded.damaged) return { ...first, damage: [] }

  const heard = { fromSec: 0, toSec: plan.facts.durationSec - track.endsEarlySec }
  const damage = gapsBetween(await decodedSound(input, track), heard)
  const lost = damage.reduce((sum, { fromSec, toSec }) => sum + toSec - fromSec, 0)
  if (!replaces && lost > MOST_LOST * heard.toSec) throw new SourceUndecodableError(undecodableSound(track))
  const last = damage.at(-1)
  const missingSec = last?.toSec === heard.toSec ? last.toSec - last.fromSec : 0
  const isSilent = damage.some(({ fromSec, toSec }) => toSec - fromSec >= whole.toSec)
  // Players stop where a video's audio ends.
  if (!replaces || missingSec < SHORT_SEC || isSilent) return { ...first, damage }
  const longer = { ...track, endsEarlySec: track.endsEarlySec + missingSec }
  return { ...(await encode({ folder: await folderIn(folder, 'longer'), track: longer, silent: false, ...(even && { even }) })), damage }
}

async function folderIn(folder: string, name: string): Promise<string> {
  const path = join(folder, name)
  await mkdir(path, { recursive: true })
  return path
}
