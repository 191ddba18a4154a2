/** Frame rates films and cameras mean, as ffmpeg takes them. */
const USUAL = ['24000/1001', '24', '25', '30000/1001', '30', '48', '50', '60000/1001', '60']

export interface FrameRate {
  /** As ffmpeg takes it. */
  text: string
  value: number
}

const HIGHEST = 60
const FALLBACK = '30'

/**
 * The constant rate to encode at, from ffprobe's average and base rate: usual rates exactly, high ones halved until
 * they are at most 60, and 30 where the file says nothing usable. Timestamps keep the pace whatever comes out.
 */
export function readFrameRate(average: string | undefined, base: string | undefined): FrameRate {
  // A base rate of 1000 is merely the clock that a browser's recording counts in.
  const stated = plausible(average, 1_000) ?? plausible(base, 120)
  if (stated === undefined) return rateOf(FALLBACK)
  let rate = stated
  while (rate > HIGHEST * 1.01) rate /= 2
  const usual = USUAL.map(rateOf).sort((a, b) => Math.abs(a.value - rate) - Math.abs(b.value - rate))[0]
  if (usual && Math.abs(usual.value - rate) / rate < 0.015) return usual
  // A phone's or a screen recording's wandering average: the next whole rate keeps nearly every frame.
  return rateOf(String(Math.min(HIGHEST, Math.ceil(rate))))
}

const rateOf = (text: string): FrameRate => ({ text, value: evaluate(text) ?? 0 })

function plausible(text: string | undefined, most: number): number | undefined {
  const rate = evaluate(text)
  return rate !== undefined && rate >= 1 && rate <= most ? rate : undefined
}

function evaluate(text: string | undefined): number | undefined {
  const [above, below = '1'] = (text ?? '').split('/')
  const value = Number(above) / Number(below)
  return Number.isFinite(value) && value > 0 ? value : undefined
}
