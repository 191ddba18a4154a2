import { describe, expect, it } from 'vitest'
import { forecastCodec, isWorthEncoding, isWorthEvicting, KEPT_DAYS, type Terms } from './decide.ts'
import { HISTORY_DAYS, type WatchHistory } from './forecast.ts'
import { asStored, encodingCost, savedByWatching, shrunkShare, storageCost, type VideoFacts, withPrior } from './money.ts'

const VIDEO: VideoFacts = { bytes: 400e6, megapixels: 36_000, bandwidth: 2e6, isHdr: false, hasAv1: false, hasSlowerPreset: false }
const TERMS: Terms = {
  codec: { replaces: false, slowerRatio: 0.8, bytesRatio: 0.6, cpuSecPerMegapixel: 0.04, viewerShare: 0.75, hdrShare: 0.5 },
  prices: { deliveryPerGb: 0.01, storagePerGbMonth: 0.01, cpuHour: 0.01 },
}
const steady = (perDay: number): WatchHistory => ({
  plays: Array.from({ length: HISTORY_DAYS }, () => perDay),
  watchSec: Array.from({ length: HISTORY_DAYS }, () => perDay * 600),
  todayShare: 1,
  ageDays: 1_000,
})

describe('money', () => {
  it('is that of a calculation by hand', () => {
    // 4,000 s at 2 Mbit/s are 1 GB, of which 40 % are saved for 75 % of viewers.
    expect(savedByWatching(VIDEO, TERMS.codec, TERMS.prices, 4_000)).toBeCloseTo(0.4 * 0.75 * 0.01, 6)
    // Half of them have an HDR screen.
    expect(savedByWatching({ ...VIDEO, isHdr: true }, TERMS.codec, TERMS.prices, 4_000)).toBeCloseTo(0.4 * 0.75 * 0.5 * 0.01, 6)
    // 240 MB for a month.
    expect(storageCost(VIDEO, TERMS.codec, TERMS.prices, 30)).toBeCloseTo(0.0024)
    expect(storageCost(VIDEO, TERMS.codec, TERMS.prices, 15, 100e6)).toBeCloseTo(0.0005)
    // 1,440 s of a core.
    expect(encodingCost(VIDEO, TERMS.codec, TERMS.prices)).toBeCloseTo(0.004)
  })

  it('is that of renditions that take the place of greater ones, for all viewers or for those without AV1', () => {
    const slower = { ...TERMS.codec, replaces: true, bytesRatio: 0.9 }
    expect(savedByWatching(VIDEO, slower, TERMS.prices, 4_000)).toBeCloseTo(0.1 * 0.01, 6)
    expect(savedByWatching({ ...VIDEO, hasAv1: true }, slower, TERMS.prices, 4_000)).toBeCloseTo(0.1 * 0.25 * 0.01, 6)
    // AV1 of an HDR video goes to half of three quarters.
    expect(savedByWatching({ ...VIDEO, hasAv1: true, isHdr: true }, slower, TERMS.prices, 4_000)).toBeCloseTo(0.1 * 0.625 * 0.01, 6)
    // 40 MB less for a month.
    expect(storageCost(VIDEO, slower, TERMS.prices, 30)).toBeCloseTo(-0.0004)
  })

  it('counts what AV1 saves against the H.264 that a video has', () => {
    // 0.6 of the bytes of the first preset are 0.75 of those with the slower one.
    expect(savedByWatching({ ...VIDEO, hasSlowerPreset: true }, TERMS.codec, TERMS.prices, 4_000)).toBeCloseTo(0.25 * 0.75 * 0.01, 6)
  })

  it('compares a video that was encoded again with what it was before', () => {
    const now = { ...VIDEO, bytes: 300e6, bandwidth: 1.5e6, hasSlowerPreset: true }
    const { video, codec } = asStored(now, { ...TERMS.codec, replaces: true }, { bytes: 300e6, h264Bytes: 400e6 })
    expect([video.bytes, video.bandwidth, codec.bytesRatio]).toEqual([400e6, 2e6, 0.75])
    expect(savedByWatching(video, codec, TERMS.prices, 4_000)).toBeCloseTo(0.25 * 0.01, 6)
    expect(storageCost(video, codec, TERMS.prices, 30, 300e6)).toBeCloseTo(-0.001)
  })

  it('believes measurements the more of them there are', () => {
    expect(withPrior(0.6, { mean: 0, videos: 0 })).toBe(0.6)
    expect(withPrior(0.6, { mean: 0.4, videos: 3 })).toBeCloseTo(0.5)
    expect(withPrior(0.6, { mean: 0.4, videos: 1_000 })).toBeCloseTo(0.4, 2)
  })
})

describe('shares of viewers', () => {
  it('are those of the settings without watch time, and those that were measured with much of it', () => {
    expect(shrunkShare(0.75, { part: 0, hours: 0 })).toBe(0.75)
    expect(shrunkShare(0.75, { part: 10, hours: 20 })).toBeCloseTo(0.625)
    expect(shrunkShare(0.75, { part: 5_000, hours: 10_000 })).toBeCloseTo(0.5, 2)
  })
})

describe('decision', () => {
  it('encodes above the plays that pay for it, and not below', () => {
    // A play of 600 s saves 0.00045 dollars; 14.2 of them pay for 0.0064.
    expect(isWorthEncoding(forecastCodec(VIDEO, steady(0.4), TERMS))).toBe(false)
    expect(isWorthEncoding(forecastCodec(VIDEO, steady(1), TERMS))).toBe(true)
    const { saving, storage, encoding, net } = forecastCodec(VIDEO, steady(1), TERMS)
    expect(net).toBeCloseTo(saving - storage - encoding)
  })

  it('encodes nothing that saves no bytes', () => {
    expect(isWorthEncoding(forecastCodec(VIDEO, steady(1e6), { ...TERMS, codec: { ...TERMS.codec, bytesRatio: 1 } }))).toBe(false)
  })

  it('evicts what saves less than half of its storage, after a week', () => {
    expect(isWorthEvicting({ saving: 0.4, storage: 1 }, KEPT_DAYS)).toBe(true)
    expect(isWorthEvicting({ saving: 0.4, storage: 1 }, KEPT_DAYS - 1)).toBe(false)
    expect(isWorthEvicting({ saving: 0.6, storage: 1 }, 100)).toBe(false)
  })

  it('never evicts what it would encode', () => {
    for (let perDay = 0; perDay < 3; perDay += 0.01) {
      const forecast = forecastCodec(VIDEO, steady(perDay), TERMS)
      expect(isWorthEncoding(forecast) && isWorthEvicting(forecast, 100)).toBe(false)
    }
  })
})
