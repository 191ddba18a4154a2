import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { ffmpeg } from '../infra/ffmpeg.ts'
import { sampleClipArguments } from '../transcode/sample-clip.ts'

const folder = join(import.meta.dirname, '../../.cache/fixtures')

/** A file that ffmpeg makes from these arguments, made once and kept under `.cache/fixtures`. `name` gives it its ending. */
export async function madeFile(name: string, args: readonly string[]): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(args)).digest('hex').slice(0, 16)
  const path = join(folder, `${hash}-${name}`)
  if (existsSync(path)) return path
  await mkdir(folder, { recursive: true })
  // Made beside and renamed: test files run at the same time and may want the same clip.
  const unfinished = join(folder, `${randomUUID()}-${name}`)
  await ffmpeg([...args, unfinished])
  await rename(unfinished, path)
  return path
}

/** 9 s, 640×360, 30 frames a second, with a tone. */
export const shortClip = () => madeFile('short.mp4', sampleClipArguments({ seconds: 9, width: 640, height: 360, rate: 30 }))
