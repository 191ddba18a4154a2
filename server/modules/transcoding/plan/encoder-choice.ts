import { env } from '../../../platform/config/config.ts'
import { services } from '../../../platform/container.ts'
import { ffmpeg } from '../../../platform/ffmpeg/ffmpeg.ts'
import { existingDevices } from '../../../platform/network/devices.ts'
import { log } from '../../../platform/observe/log.ts'
import { DEVICES, ENCODERS, type Encoder, encoderArguments, type HardwareEncoder } from './encoders.ts'

declare module '../../../platform/container.ts' {
  interface Services {
    encoderChoice: { chosen?: Promise<Encoder> }
  }
}

export const makeEncoderChoice = () => ({})

/** Returns this process's encoder. The first call tests a hardware encoder if one is set or, for `auto`, if its device exists. */
export function chosenEncoder(): Promise<Encoder> {
  const choice = services().encoderChoice
  choice.chosen ??= chooseEncoder(env().TRANSCODE_ENCODER)
  return choice.chosen
}

/** Returns which of an encoder's devices exist, for its ffmpeg to access (`only.devices`). */
export const devicesOf = (encoder: Encoder): string[] => (encoder === 'x264' ? [] : existingDevices(DEVICES[encoder]))

const HARDWARE = ENCODERS.filter((encoder) => encoder !== 'x264')

/** Returns whether an encoder's first device exists. */
const hasDevice = (encoder: HardwareEncoder) => existingDevices(DEVICES[encoder].slice(0, 1)).length > 0

/** Returns the encoder that `wanted` names or, for `auto`, the first of the `present` ones, if it passes `proveEncoder`; otherwise x264. */
export async function chooseEncoder(
  wanted: Encoder | 'auto',
  present: () => HardwareEncoder[] = () => HARDWARE.filter(hasDevice),
): Promise<Encoder> {
  if (wanted === 'x264') return 'x264'
  for (const encoder of wanted === 'auto' ? present() : [wanted]) {
    try {
      await proveEncoder(encoder)
      log().info({ encoder }, 'encoding video in hardware')
      return encoder
    } catch (error) {
      log().warn({ encoder, err: (error as Error).message }, 'the hardware encoder failed its test; encoding in software')
    }
  }
  return 'x264'
}

const RATE = 30
const PROOF_MS = 30_000

/**
 * Encodes one second of a test picture under the restrictions of a real encode. Rejects unless all frames came out, with keyframes at its
 * start and in its middle and nowhere else: players switch renditions at forced keyframes.
 */
export async function proveEncoder(encoder: Encoder): Promise<void> {
  const keyFrames = 'expr:gte(t,n_forced*0.5)'
  const { global, filters, output } = encoderArguments(encoder, { maxRates: [800_000], threads: 1, keyFrames, reorder: false })
  const source = `testsrc2=size=640x360:rate=${RATE}:duration=1,format=yuv420p`
  const lines: string[] = []
  await ffmpeg([...global, '-f', 'lavfi', '-i', source, ...(filters ? ['-vf', filters] : []), ...output, '-f', 'framecrc', 'pipe:1'], {
    signal: AbortSignal.timeout(PROOF_MS),
    onLine: (line) => void (line.startsWith('#') || lines.push(line)),
    only: { reads: [], writes: [], devices: devicesOf(encoder) },
  })
  // framecrc prints a frame's flags unless it is a keyframe without others.
  const keys = lines.flatMap((line, at) => (line.includes('F=0x') ? [] : [at]))
  if (lines.length !== RATE || keys.join() !== `0,${RATE / 2}`)
    throw new Error(`${encoder} wrote ${lines.length} of ${RATE} frames, with key frames at ${keys.join(', ') || 'none'}`)
}
