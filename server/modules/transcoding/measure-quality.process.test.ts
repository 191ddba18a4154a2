import { expect, it } from 'vitest'
import { ProgramFailed } from '../../platform/ffmpeg/ffmpeg.ts'
import { testDatabase } from '../../testing/database.ts'
import { makeMediaFile } from '../../testing/media/media-files.ts'
import { measureQuality } from './measure-quality.ts'

await testDatabase()

const PICTURES = 10
const display = { width: 320, height: 180 }
const scene = ['-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=10:duration=2,noise=alls=10:all_seed=1', '-c:v', 'libx264']
const source = await makeMediaFile('quality-source.mkv', [...scene, '-qp', '0', '-pix_fmt', 'yuv420p'])
const poor = await makeMediaFile('quality-poor.mp4', [...scene, '-crf', '45', '-pix_fmt', 'yuv420p', '-vf', 'scale=160:90'])
const measure = (path: string, fromSec: number, pictures = PICTURES, every = 1) =>
  measureQuality({ source: { path: source, fromSec: 0.5 }, encoded: { path, fromSec }, pictures, rate: '10', display, every })

it('finds the quality of a span, at display size', async () => {
  const [same, less, other] = [await measure(source, 0.5), await measure(poor, 0.5), await measure(source, 0.9)]
  expect(same.pictures).toBe(PICTURES)
  expect(same.min).toBeGreaterThan(95)
  expect(less.mean).toBeLessThan(70)
  expect(less.min).toBeLessThanOrEqual(less.p5)
  // Pictures of another time are others.
  expect(other.mean).toBeLessThan(same.mean)
})

it('scores some pictures of a span as it scores them among all', async () => {
  const [all, some] = [await measure(poor, 0.5), await measure(poor, 0.5, PICTURES, 3)]
  expect(some.pictures).toBe(4)
  expect(some.min).toBeGreaterThanOrEqual(all.min)
  expect(Math.abs(some.mean - all.mean)).toBeLessThan(2)
})

it('refuses a span with fewer pictures, and a file that cannot be decoded', async () => {
  await expect(measure(source, 0.5, 30)).rejects.toThrow('15 of 30 frames')
  await expect(measure(import.meta.filename, 0)).rejects.toThrow(ProgramFailed)
})
