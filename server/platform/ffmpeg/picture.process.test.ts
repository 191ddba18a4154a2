import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { provide } from '../../testing/settings.ts'
import { ffmpeg } from './ffmpeg.ts'
import { posterFrom } from './picture.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'reelgate-pictures-'))
provide({ BASE_URL: 'http://localhost', DATA_DIR: dataDir })
afterAll(() => rmSync(dataDir, { recursive: true }))

/** Returns the same JPEG with an EXIF segment of one entry, the orientation (EXIF 2.32 §4.6.4). */
function oriented(jpeg: Buffer, orientation: number): Buffer {
  const exif = Buffer.from('45786966000049492a0008000000010012010300010000000000000000000000', 'hex')
  exif.writeUInt16LE(orientation, 24)
  const head = Buffer.from([0xff, 0xe1, 0, exif.length + 2])
  return Buffer.concat([jpeg.subarray(0, 2), head, exif, jpeg.subarray(2)])
}

/** Returns the size of a picture, and the average luma of a part of it. */
async function seen(path: string, part: string): Promise<{ size: string | undefined; luma: number }> {
  const filters = `showinfo,format=yuvj420p,crop=${part},signalstats,metadata=print:key=lavfi.signalstats.YAVG`
  const said = await ffmpeg(['-v', 'info', '-i', path, '-vf', filters, '-f', 'null', '-'])
  return { size: / s:(\d+x\d+) /.exec(said)?.[1], luma: Number(/YAVG=([\d.]+)/.exec(said)?.[1]) }
}

const PARTS = { left: 'iw/2:ih:0:0', right: 'iw/2:ih:iw/2:0', top: 'iw:ih/2:0:0', bottom: 'iw:ih/2:0:ih/2' }

it.each([
  [1, 'as it is', 320, 180, 'left'],
  [2, 'in a mirror', 320, 180, 'right'],
  [3, 'upside down', 320, 180, 'right'],
  [6, 'as a phone held upright takes it', 180, 320, 'top'],
  [8, 'as a phone held the other way takes it', 180, 320, 'bottom'],
] as const)('draws a poster upright for orientation %i, %s', async (orientation, _how, width, height, white) => {
  const flat = join(dataDir, 'flat.jpg')
  const half = ['-f', 'lavfi', '-i', 'color=black:size=320x180:rate=1:duration=1', '-vf', 'drawbox=0:0:160:180:white:fill']
  await ffmpeg([...half, '-frames:v', '1', '-q:v', '2', '-pix_fmt', 'yuvj420p', flat])
  const poster = await posterFrom(oriented(await readFile(flat), orientation))
  const path = join(dataDir, 'oriented.jpg')
  writeFileSync(path, poster ?? '')
  const { size, luma } = await seen(path, PARTS[white])
  expect(size).toBe(`${width}x${height}`)
  expect(luma).toBeGreaterThan(220)
})

it('leaves no file except the media', async () => {
  expect(readdirSync(join(dataDir, 'work'))).toEqual([])
})
