/** Standard frame rates of videos and cameras, in ffmpeg's notation. */
const USUAL = ['24000/1001', '24', '25', '30000/1001', '30', '48', '50', '60000/1001', '60']

export interface FrameRate {
  /** In ffmpeg's notation. */
  text: string
  value: number
}

const HIGHEST = 60
/** Below it, ffmpeg and VLC detect no picture size in a playlist with audio: the part they analyze has too few frames. */
const LOWEST = 5
const FALLBACK = '30'
/** Rates that differ by less than this fraction are equal. */
const NEAR = 0.015

interface Source {
  /** Each frame holds two fields of different times. */
  interlaced?: boolean
  /** A fragmented MP4. Its average counts each fragment's last frame with a wrong duration. */
  fragmented?: boolean
  /** Usual distance between its frames, if most have it. The average is far below that in a recording with pauses, and what the file states may be wrong. */
  frameSec?: number | undefined
}

/**
 * Returns the constant rate to encode at, from ffprobe's average and base rate: standard rates exactly, twice the rate of interlaced video,
 * high rates halved until they are at most 60, low ones multiplied until they are at least 5, and 30 if the file states no usable rate.
 * Timestamps keep the playback speed in every case.
 */
export function readFrameRate(average: string | undefined, base: string | undefined, source: Source = {}): FrameRate {
  const rate = usualRate(average, base, source)
  if (source.interlaced && rate.value * 2 <= HIGHEST) return doubled(rate)
  if (rate.value >= LOWEST) return rate
  const whole = Math.ceil(rate.value)
  return rateOf(String(whole * Math.ceil(LOWEST / whole)))
}

function doubled({ text }: FrameRate): FrameRate {
  const [above, below] = text.split('/')
  return rateOf([Number(above) * 2, ...(below ? [below] : [])].join('/'))
}

/** The average of a file is at most this multiple of the rate that most of its frames follow (`MOST` in stream-times.ts). */
const MOST_ABOVE = 1.3

/** Returns the file's rate, or the rate of its frames between the pauses, or the rate of its frames if it states another. */
function rateOfFrames(average: string | undefined, base: string | undefined, source: Source): number | undefined {
  const stated = statedRate(average, base, source)
  const usual = source.frameSec === undefined ? undefined : plausible(String(1 / source.frameSec), 1_000)
  if (stated === undefined || usual === undefined) return stated ?? usual
  return usual > stated * (1 + NEAR) || stated > usual * MOST_ABOVE ? usual : stated
}

/** Returns the file's average rate, or its track's base rate if the average is only an inexact measure of it. */
function statedRate(average: string | undefined, base: string | undefined, { fragmented }: Source): number | undefined {
  // A base rate of 1000 is the time base of browser recordings.
  const [measured, own] = [plausible(average, 1_000), plausible(base, 120)]
  if (measured === undefined || own === undefined) return measured ?? own
  const usual = USUAL.some((one) => Math.abs(rateOf(one).value - own) < 0.001)
  return (fragmented && usual) || Math.abs(own - measured) / measured < NEAR ? own : measured
}

function usualRate(average: string | undefined, base: string | undefined, source: Source): FrameRate {
  const stated = rateOfFrames(average, base, source)
  if (stated === undefined) return rateOf(FALLBACK)
  let rate = stated
  while (rate > HIGHEST * 1.01) rate /= 2
  const usual = USUAL.map(rateOf).sort((a, b) => Math.abs(a.value - rate) - Math.abs(b.value - rate))[0]
  if (usual && Math.abs(usual.value - rate) / rate < NEAR) return usual
  // Phone and screen recordings have a varying rate: the next whole rate keeps nearly every frame.
  return rateOf(String(Math.min(HIGHEST, Math.ceil(rate))))
}

const rateOf = (text: string): FrameRate => ({ text, value: evaluate(text) ?? 0 })

function plausible(text: string | undefined, most: number): number | undefined {
  const rate = evaluate(text)
  return rate !== undefined && rate >= 0.01 && rate <= most ? rate : undefined
}

function evaluate(text: string | undefined): number | undefined {
  const [above, below = '1'] = (text ?? '').split('/')
  const value = Number(above) / Number(below)
  return Number.isFinite(value) && value > 0 ? value : undefined
}
