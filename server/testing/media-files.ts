import { execFile } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sampleClipArguments } from '../modules/transcoding/sample-clip.ts'
import { environment, ffmpegProgram } from '../platform/ffmpeg-programs.ts'
import { withRotation } from './turned.ts'

const folder = join(import.meta.dirname, '../../.cache/fixtures')

/** The ffmpeg that makes files: one for all tests (vitest.config.ts), so that each file is encoded once. */
const program = () => process.env.REELGATE_FIXTURE_FFMPEG ?? ffmpegProgram()

/**
 * Returns a file made by ffmpeg from these arguments, created once per ffmpeg and kept under `.cache/fixtures`. `name` determines its
 * extension. `-display_rotation` as the first argument, before an MP4, is supported with any ffmpeg.
 */
export async function makeMediaFile(name: string, args: readonly string[]): Promise<string> {
  const hash = createHash('sha256')
    .update(JSON.stringify([program(), args]))
    .digest('hex')
    .slice(0, 16)
  const path = join(folder, `${hash}-${name}`)
  if (existsSync(path)) return path
  await mkdir(folder, { recursive: true })
  // Written under another name and renamed: concurrent test files may need the same clip.
  const unfinished = join(folder, `${randomUUID()}-${name}`)
  const [option, degrees, ...rest] = args
  const turn = option === '-display_rotation'
  // Its input is made here, so that it runs without the sandbox, which costs as much as a short file.
  await promisify(execFile)(program(), ['-nostdin', '-y', '-v', 'error', ...(turn ? rest : args), unfinished], { env: environment() })
  if (turn) await writeFile(unfinished, withRotation(await readFile(unfinished), Number(degrees)))
  await rename(unfinished, path)
  return path
}

/** 9 s, 640×360, 15 frames a second, with a tone. */
export const shortClip = () => makeMediaFile('short.mp4', sampleClipArguments({ seconds: 9, width: 640, height: 360, rate: 15 }))
