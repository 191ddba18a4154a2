import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { QUALITIES } from '../../videos/schema.ts'
import { ladder } from './ladder.ts'

const labels = (width: number, height: number, target = '2160p') =>
  ladder({ width, height, frameRate: 30 }, target).map((rendition) => rendition.quality)

describe('ladder', () => {
  it.each<[string, number, number, string, string[]]>([
    ['full HD', 1920, 1080, '1080p', ['1080p', '720p', '480p', '360p', '240p']],
    ['full HD, upright', 1080, 1920, '1080p', ['1080p', '720p', '480p', '360p', '240p']],
    ['4K for 1080p', 3840, 2160, '1080p', ['1080p', '720p', '480p', '360p', '240p']],
    ['4K for 2160p', 3840, 2160, '2160p', ['2160p', '1440p', '1080p', '720p', '480p', '360p', '240p']],
    ['720p for 1080p', 1280, 720, '1080p', ['720p', '480p', '360p', '240p']],
    ['720p for 240p', 1280, 720, '240p', ['240p']],
    ['a video in scope', 1920, 800, '1080p', ['800p', '480p', '360p', '240p']],
    ['a cropped full HD', 1920, 1078, '1080p', ['1078p', '720p', '480p', '360p', '240p']],
    ['odd sides', 853, 481, '1080p', ['480p', '360p', '240p']],
    ['smaller than every rendition', 160, 121, '1080p', ['120p']],
    ['hardly anything', 2, 2, '1080p', ['2p']],
  ])('%s', (_name, width, height, target, expected) => {
    expect(labels(width, height, target)).toEqual(expected)
  })

  it('returns standard sizes at 16:9', () => {
    const sizes = ladder({ width: 1920, height: 1080, frameRate: 30 }, '1080p').map(({ width, height }) => `${width}x${height}`)
    expect(sizes).toEqual(['1920x1080', '1280x720', '854x480', '640x360', '426x240'])
  })

  const sources = fc.record({
    width: fc.integer({ min: 2, max: 4096 }),
    height: fc.integer({ min: 2, max: 4096 }),
    frameRate: fc.double({ min: 1, max: 60, noNaN: true }),
  })

  it("returns renditions that are not empty, not upscaled, even, descending, within the target and of the source's aspect ratio", () => {
    fc.assert(
      fc.property(sources, fc.constantFrom(...QUALITIES), (source, target) => {
        const renditions = ladder(source, target)
        expect(renditions.length).toBeGreaterThan(0)
        const [shorter, longer] = [Math.min(source.width, source.height), Math.max(source.width, source.height)]
        for (const [at, rendition] of renditions.entries()) {
          const side = Math.min(rendition.width, rendition.height)
          expect(rendition.quality).toBe(`${side}p`)
          expect(side).toBeLessThanOrEqual(Math.min(shorter, Number.parseInt(target, 10)))
          expect((rendition.width % 2) + (rendition.height % 2)).toBe(0)
          expect(rendition.width).toBeLessThanOrEqual(source.width)
          expect(rendition.height).toBeLessThanOrEqual(source.height)
          const ideal = longer * (side / shorter)
          expect(Math.abs(Math.max(rendition.width, rendition.height) - ideal)).toBeLessThanOrEqual(2)
          const above = renditions[at - 1]
          if (above) {
            expect(side).toBeLessThan(Math.min(above.width, above.height))
            expect(rendition.maxVideoRate).toBeLessThanOrEqual(above.maxVideoRate)
          }
          expect(rendition.maxVideoRate).toBeGreaterThan(0)
        }
      }),
      { numRuns: 2_000 },
    )
  })

  it('gives high frame rates more bits', () => {
    const rate = (frameRate: number) => ladder({ width: 1280, height: 720, frameRate }, '720p')[0]?.maxVideoRate ?? 0
    expect(rate(60)).toBe(1.5 * rate(30))
  })
})
