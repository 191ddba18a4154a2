import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sampleClipArguments } from '../modules/transcoding/sample-clip.ts'
import { env } from '../platform/config.ts'
import { ffmpeg } from '../platform/ffmpeg.ts'
import { withRotation } from './turned.ts'

const folder = join(import.meta.dirname, '../../.cache/fixtures')

/**
 * Returns a file made by ffmpeg from these arguments, created once per ffmpeg and kept under `.cache/fixtures`. `name` determines its
 * extension. `-display_rotation` as the first argument, before an MP4, is supported with any ffmpeg.
 */
export async function makeMediaFile(name: string, args: readonly string[]): Promise<string> {
  const hash = createHash('sha256')
    .update(JSON.stringify([env().FFMPEG_PATH, args]))
    .digest('hex')
    .slice(0, 16)
  const path = join(folder, `${hash}-${name}`)
  if (existsSync(path)) return path
  await mkdir(folder, { recursive: true })
  // Written under another name and renamed: concurrent test files may need the same clip.
  const unfinished = join(folder, `${randomUUID()}-${name}`)
  const [option, degrees, ...rest] = args
  const turn = option === '-display_rotation'
  await ffmpeg([...(turn ? rest : args), unfinished])
  if (turn) await writeFile(unfinished, withRotation(await readFile(unfinished), Number(degrees)))
  await rename(unfinished, path)
  return path
}

/** 9 s, 640×360, 30 frames a second, with a tone. */
export const shortClip = () => makeMediaFile('short.mp4', sampleClipArguments({ seconds: 9, width: 640, height: 360, rate: 30 }))
