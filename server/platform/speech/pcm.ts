import { ffmpeg } from '../ffmpeg/ffmpeg.ts'
import type { SandboxAccess } from '../ffmpeg/sandbox.ts'

/** Samples a second of the audio that engines get, which is mono. */
export const SAMPLE_RATE = 16_000

interface DecodeOptions {
  /** ffmpeg's options for the input, the map and filters. */
  args: readonly string[]
  /** What it reads as `pipe:0`. */
  input?: AsyncIterable<Buffer>
  only: SandboxAccess
  signal?: AbortSignal
}

/** Decodes audio with ffmpeg and calls `onPcm` with its samples, as engines get them, in pieces of any length. Rejects with ProgramFailed. */
export async function streamPcm({ args, input, only, signal }: DecodeOptions, onPcm: (pcm: Float32Array) => void): Promise<void> {
  let rest = Buffer.alloc(0)
  await ffmpeg([...args, '-ac', '1', '-ar', String(SAMPLE_RATE), '-f', 'f32le', 'pipe:1'], {
    only,
    ...(input && { input }),
    background: 'last',
    ...(signal && { signal }),
    onOutput(bytes) {
      const all = rest.length > 0 ? Buffer.concat([rest, bytes]) : bytes
      const whole = all.length - (all.length % 4)
      rest = Buffer.from(all.subarray(whole))
      // A copy, because samples must begin at a multiple of four bytes.
      if (whole > 0) onPcm(new Float32Array(new Uint8Array(all.subarray(0, whole)).buffer))
    },
  })
}

/** Decodes audio with ffmpeg and returns its samples, as engines get them. Rejects with ProgramFailed. */
export async function readPcm(options: DecodeOptions): Promise<Float32Array> {
  const pieces: Float32Array[] = []
  await streamPcm(options, (pcm) => pieces.push(pcm))
  return joinPcm(pieces)
}

/** Returns pieces of samples as one. */
export function joinPcm(pieces: readonly Float32Array[]): Float32Array {
  const all = new Float32Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    all.set(piece, at)
    at += piece.length
  }
  return all
}

/** Returns samples as signed 16-bit little-endian integers. */
export function toPcm16(pcm: Float32Array): Buffer {
  const bytes = Buffer.allocUnsafe(pcm.length * 2)
  for (const [at, sample] of pcm.entries())
    bytes.writeInt16LE(Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_768))) || 0, at * 2)
  return bytes
}

/** Returns samples as a WAV file with 16 bits a sample. */
export function toWav(pcm: Float32Array): Buffer {
  const header = Buffer.alloc(44)
  header.write('RIFF', 0, 'latin1')
  header.writeUInt32LE(36 + pcm.length * 2, 4)
  header.write('WAVEfmt ', 8, 'latin1')
  header.writeUInt32LE(16, 16)
  // Integers, one channel.
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(SAMPLE_RATE, 24)
  header.writeUInt32LE(SAMPLE_RATE * 2, 28)
  header.writeUInt16LE(2, 32)
  header.writeUInt16LE(16, 34)
  header.write('data', 36, 'latin1')
  header.writeUInt32LE(pcm.length * 2, 40)
  return Buffer.concat([header, toPcm16(pcm)])
}
