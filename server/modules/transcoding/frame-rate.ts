/** Frame rates films and cameras mean, as ffmpeg takes them. */
const USUAL = ['24000/1001', '24', '25', '30000/1001', '30', '48', '50', '60000/1001', '60']

export interface FrameRate {
  /** As ffmpeg takes it. */
  text: string
  value: number
}

const HIGHEST = 60
/** With fewer, and sound, ffmpeg and VLC find no size in a playlist: too few pictures come in what they look at before they play. */
const LOWEST = 5
const FALLBACK = '30'
/** Rates this near to each other, as a part of one, are the same. */
const NEAR = 0.015

interface Source {
  /** Pictures come as two fields, each a moment of its own. */
  interlaced?: boolean
  /** A fragmented MP4. Its average counts each fragment's last picture for too long or too short. */
  fragmented?: boolean
}

/**
 * Returns the constant rate to encode at, from ffprobe's average and base rate: usual rates exactly, twice that of interlaced pictures,
 * high ones halved until they are at most 60, low ones multiplied until they are 5 or more, and 30 where the file says nothing usable.
 * Timestamps keep the pace whatever comes out.
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

/** What the file states: its average, unless that is only a poor measure of its track's own rate. */
function statedRate(average: string | undefined, base: string | undefined, { fragmented }: Source): number | undefined {
  // A base rate of 1000 is merely the clock that a browser's recording counts in.
  const [measured, own] = [plausible(average, 1_000), plausible(base, 120)]
  if (measured === undefined || own === undefined) return measured ?? own
  const usual = USUAL.some((one) => Math.abs(rateOf(one).value - own) < 0.001)
  return (fragmented && usual) || Math.abs(own - measured) / measured < NEAR ? own : measured
}

function usualRate(average: string | undefined, base: string | undefined, source: Source): FrameRate {
  const stated = statedRate(average, base, source)
  if (stated === undefined) return rateOf(FALLBACK)
  let rate = stated
  while (rate > HIGHEST * 1.01) rate /= 2
  const usual = USUAL.map(rateOf).sort((a, b) => Math.abs(a.value - rate) - Math.abs(b.value - rate))[0]
  if (usual && Math.abs(usual.value - rate) / rate < NEAR) return usual
  // A phone's or a screen recording's wandering average: the next whole rate keeps nearly every frame.
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
