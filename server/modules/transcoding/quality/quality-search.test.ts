import { describe, expect, it } from 'vitest'
import { sourceFacts } from '../../../testing/media/source-facts.ts'
import { encoderArguments } from '../plan/encoders.ts'
import { ladder } from '../plan/ladder.ts'
import { planTranscode, type TranscodePlan } from '../plan/plan.ts'
import type { SourceFacts } from '../probe/probe.ts'
import { COST, displayOf, goalOf, planEqualSearch, planSearch, rateFactorsOf } from './quality-search.ts'

/** Returns a plan with a key frame every two seconds. */
function planOf(durationSec: number, { height = 1080, ...changes }: Partial<SourceFacts> = {}): TranscodePlan {
  const size = { width: Math.round((height * 16) / 9 / 2) * 2, height }
  const facts = sourceFacts(durationSec, '25', { ...size, ...changes })
  const keyFrames = Array.from({ length: durationSec / 2 }, (_, at) => ({ sec: at * 2, nextSec: at * 2 + 2 }))
  const map = { keyFrames, packets: durationSec * 25, endSec: durationSec, seekable: true }
  return planTranscode({ facts, renditions: ladder({ ...facts, frameRate: 25 }, '2160p'), keyFrames: map })
}

describe('planSearch', () => {
  it('spreads samples over the video and searches for the highest rendition and one of about half its height', () => {
    const plan = planOf(600)
    const search = planSearch(plan, 'standard')
    expect(search?.spans.map(({ startSec }) => startSec)).toEqual([75, 225, 375, 525])
    expect(search?.searched).toEqual(['1080p', '480p'])
    expect(search?.spans.reduce((sum, { frames }) => sum + frames, 0)).toBeLessThanOrEqual(4 * 25)
  })

  it.each([120, 150, 300, 1_200, 7_200])('costs at most its greatest share of a video of %d s', (seconds) => {
    const search = planSearch(planOf(seconds), 'standard')
    expect(search?.costSec).toBeLessThanOrEqual(COST.short * seconds)
  })

  it.each([600, 1_200, 7_200])('costs a smaller share of a video of %d s, unless viewers have it already', (seconds) => {
    expect(planSearch(planOf(seconds), 'standard')?.costSec).toBeLessThanOrEqual(COST.usual * seconds)
    const again = planSearch({ ...planOf(600), preset: 'medium' }, 'standard')
    expect(again?.costSec).toBeGreaterThan(COST.usual * 600)
  })

  it.each([
    [120, 12],
    [400, 28],
    [7_200, 60],
  ])('lets the chunks of the first seconds of %d s begin at once', (seconds, startSec) => {
    const plan = planOf(seconds)
    expect(plan.chunks[planSearch(plan, 'standard')?.from ?? -1]?.startFrame).toBe(startSec * 25)
  })

  it.each<[string, TranscodePlan]>([
    ['a short video', planOf(90)],
    ['a video of two chunks at most', { ...planOf(600), chunks: planOf(600).chunks.slice(0, 2) }],
    ['HDR', planOf(600, { hdr: 'pq' })],
    ['interlaced video', planOf(600, { interlaced: true })],
    ['a tiny picture', planOf(600, { height: 96 })],
  ])('leaves the usual rate factor to %s', (_, plan) => expect(planSearch(plan, 'standard')).toBeUndefined())

  it('measures at most the lines of the model of VMAF', () => {
    expect(displayOf(planOf(60, { height: 2160 }))).toEqual({ width: 1920, height: 1080 })
    expect(displayOf(planOf(60, { height: 720 }))).toEqual({ width: 1280, height: 720 })
  })
})

describe('goalOf', () => {
  it('is that of a name, or the numbers', () => {
    expect(goalOf('standard')).toEqual({ mean: 93, p5: 88 })
    expect(goalOf('94.5/89')).toEqual({ mean: 94.5, p5: 89 })
  })
})

describe('planEqualSearch', () => {
  const again: TranscodePlan = { ...planOf(600), preset: 'medium' }
  const found = [{ quality: '1080p', rateFactor: 27, measured: null }]

  it('searches for the quality that a video has, and keeps the usual rate factor in chunks that had it', () => {
    const former = planSearch(planOf(600), 'economy')
    const search = planEqualSearch(again, former ? { ...former, found } : null, 'high')
    expect(search).toMatchObject({ target: 'economy', from: former?.from, asBefore: found })
    expect(former?.from).toBeGreaterThan(0)
    expect(search?.found).toBeUndefined()
  })

  it('searches for all chunks of a video that had the usual rate factor, also of a minute, and for nothing that cannot be measured', () => {
    expect(planEqualSearch(again, null, 'standard')).toMatchObject({ from: 0, asBefore: [] })
    for (const height of [1080, 180])
      expect(planEqualSearch({ ...planOf(64, { height }), preset: 'medium' }, null, 'standard')).toMatchObject({ from: 0 })
    expect(planEqualSearch({ ...planOf(600, { hdr: 'pq' }), preset: 'medium' }, null, 'standard')).toBeUndefined()
  })
})

describe('rateFactorsOf', () => {
  const whole = planOf(600, { height: 480 })
  const found = [
    { quality: '480p', rateFactor: 27, measured: null },
    { quality: '360p', rateFactor: 28.5, measured: null },
  ]
  const search = { ...planSearch(whole, 'standard'), found } as NonNullable<TranscodePlan['search']>

  it('gives chunks that waited what was found, and the usual one to renditions without', () => {
    expect(rateFactorsOf({ ...whole, search }, { position: search.from })).toEqual([27, 28.5, 24])
    expect(rateFactorsOf({ ...whole, search }, { position: search.from - 1 })).toEqual([])
  })

  it('gives none where nothing was found', () => {
    expect(rateFactorsOf({ ...whole, search: { ...search, found: [] } }, { position: 5 })).toEqual([])
    expect(rateFactorsOf(whole, { position: 5 })).toEqual([])
  })

  it('are options of x264 alone', () => {
    const input = { maxRates: [1, 2], threads: 1, keyFrames: '', reorder: true, rateFactors: [27, 28.5] }
    expect(encoderArguments('x264', input).output.join(' ')).toContain('-crf:v:0 27 -crf:v:1 28.5')
    expect(encoderArguments('nvenc', input).output.join(' ')).not.toContain('-crf')
  })
})
