import { execFile } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sampleClipArguments } from '../../modules/transcoding/quality/sample-clip.ts'
import { environment, ffmpegProgram } from '../../platform/ffmpeg/ffmpeg-programs.ts'
import { withRotation } from '../turned.ts'

const run = promisify(execFile)
const folder = join(import.meta.dirname, '../../../.cache/fixtures')

/** The ffmpeg that creates files: one for all tests (vitest.config.ts), so that each file is encoded once. */
const program = () => process.env.REELGATE_FIXTURE_FFMPEG ?? ffmpegProgram()

/**
 * Returns a file that ffmpeg makes from these arguments, created once per ffmpeg and kept under `.cache/fixtures`. `name` determines its
 * extension. `-display_rotation` as the first argument, before an MP4, works with any ffmpeg.
 */
export async function makeMediaFile(name: string, args: readonly string[]): Promise<string> {
  const path = join(folder, `${hashOf(program(), args)}-${name}`)
  if (existsSync(path)) return path
  await mkdir(folder, { recursive: true })
  // Written under another name and renamed: concurrent test files may need the same clip.
  const unfinished = join(folder, `${randomUUID()}-${name}`)
  const [option, degrees, ...rest] = args
  const turn = option === '-display_rotation'
  // Its input is made here, so that it runs without the sandbox, which costs as much as a short file.
  await run(program(), ['-nostdin', '-y', '-v', 'error', ...(turn ? rest : args), unfinished], { env: environment() })
  if (turn) await writeFile(unfinished, withRotation(await readFile(unfinished), Number(degrees)))
  await rename(unfinished, path)
  return path
}

/**
 * Returns the folder with the files that ffmpeg writes with these arguments, in which their names are relative. Created once and kept like
 * those of `makeMediaFile`.
 */
export async function makeMediaFolder(args: readonly string[], ffmpeg = program()): Promise<string> {
  const path = join(folder, `${hashOf(ffmpeg, args)}-files`)
  if (existsSync(path)) return path
  const unfinished = join(folder, randomUUID())
  await mkdir(unfinished, { recursive: true })
  await run(ffmpeg, ['-nostdin', '-y', '-v', 'error', ...args], { env: environment(), cwd: unfinished })
  await rename(unfinished, path).catch(async (error) => {
    if (!existsSync(path)) throw error
    await rm(unfinished, { recursive: true })
  })
  return path
}

/** Copies a file to those kept under `.cache/fixtures`, by a hash of its content. Returns its path there. */
export async function keepMediaFile(file: string, name: string): Promise<string> {
  const path = join(folder, `${shortHash(await readFile(file))}-${name}`)
  await mkdir(folder, { recursive: true })
  await copyFile(file, path)
  return path
}

const shortHash = (content: string | Buffer) => createHash('sha256').update(content).digest('hex').slice(0, 16)
const hashOf = (ffmpeg: string, args: readonly string[]) => shortHash(JSON.stringify([ffmpeg, args]))

/** 9 s, 640×360, 15 frames a second, with a tone. */
export const shortClip = () => makeMediaFile('short.mp4', sampleClipArguments({ seconds: 9, width: 640, height: 360, rate: 15 }))
