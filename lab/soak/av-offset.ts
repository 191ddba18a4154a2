import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import '../../e2e/container.ts'
import { encodeAudio } from '../../server/modules/transcoding/encode/encode-audio.ts'
import { ffmpeg } from '../../server/platform/ffmpeg/ffmpeg.ts'
import { encodeJoined, plansOf, play, writePlaylist } from '../../server/testing/media/chunked.ts'
import { beeps, fastX264, flashes, onsets, playSound, whiteFrames } from '../../server/testing/media/marked-media.ts'

/**
 * Encodes a two-hour video at 29.97 frames per second in chunks, and its audio separately. The distance between each mark in the video and
 * its tone must stay within 5 ms from the first to the last. SOAK_SECONDS sets another length.
 */
const SECONDS = Number(process.env.SOAK_SECONDS ?? 7_200)
const RATE = '30000/1001'
const TOLERANCE_SEC = 0.005
/** One sample in 0.125 ms. */
const SAMPLE_RATE = 8_000

const never = new AbortController().signal
const began = Date.now()
const print = (line: string) => console.log(`${((Date.now() - began) / 1000).toFixed(1).padStart(6)} s  ${line}`)
const ms = (seconds: number) => `${(seconds * 1_000).toFixed(2)} ms`

const scratch = await mkdtemp(join(tmpdir(), 'reelgate-av-offset-'))
try {
  const source = join(scratch, 'marked.mp4')
  await ffmpeg([...flashes(SECONDS, { rate: RATE }), ...beeps(SECONDS, RATE), ...fastX264, '-c:a', 'aac', source])
  print(`created a video of ${SECONDS} s`)
  const { chunked: plan } = await plansOf(source)
  const joined = await encodeJoined(source, plan, scratch)
  print(`encoded ${plan.chunks.length} chunks, the last one first`)
  const [track] = plan.facts.audio
  if (!track) throw new Error('the source has no sound')
  const folder = await mkdtemp(join(scratch, 'track-'))
  const { segments } = await encodeAudio({ source, folder, plan, track, signal: never, onProgress: () => {} })
  print('encoded the sound')

  const seen = whiteFrames(await play(joined.list))
  const heard = onsets(await playSound(await writePlaylist(join(folder, 'joined.m3u8'), segments), SAMPLE_RATE))
  if (seen.length < 2 || heard.length !== seen.length) throw new Error(`${seen.length} white frames, but ${heard.length} tones`)
  const offsets = seen.map((time, at) => (heard[at] as number) - time)
  const [least, most] = [Math.min(...offsets), Math.max(...offsets)]
  print(`${seen.length} marks: the tone follows the frame after ${ms(least)} to ${ms(most)}`)
  if (most - least > TOLERANCE_SEC) throw new Error(`the offset of sound and picture varies by ${ms(most - least)}`)
  print('passed')
} finally {
  await rm(scratch, { recursive: true, force: true })
}
