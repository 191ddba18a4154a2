import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ffmpeg, guardedInput } from './ffmpeg.ts'
import { scorerProgram } from './ffmpeg-programs.ts'

/** A file, and the filters that yield its frames, numbered from 0 at a constant rate. */
export interface PictureFile {
  path: string
  filters: string
}

interface Input {
  original: PictureFile
  /** The same frames, encoded: the same number, size and rate. */
  encoded: PictureFile
  every: number
  threads: number
  signal?: AbortSignal
}

/**
 * Returns libvmaf's log about the frames of two files. This service encoded both: only the system's decoder opens uploaded files. Rejects
 * with ProgramFailed, or with an Error if no ffmpeg has libvmaf.
 */
export async function scoreFiles({ original, encoded, every, threads, signal }: Input): Promise<unknown> {
  const program = scorerProgram()
  if (!program) throw new Error('No ffmpeg with libvmaf was found: quality cannot be measured.')
  const folder = await mkdtemp(join(tmpdir(), 'reelgate-score-'))
  const log = join(folder, 'vmaf.json')
  const filters = [
    `[0:v:0]${encoded.filters}[encoded]`,
    `[1:v:0]${original.filters}[original]`,
    `[encoded][original]libvmaf=log_fmt=json:log_path=${log}:n_threads=${threads}:n_subsample=${every}:shortest=0:repeatlast=0`,
  ]
  const inputs = [encoded, original].flatMap(({ path }) => ['-threads', String(threads), ...guardedInput(path)])
  try {
    await ffmpeg([...inputs, '-lavfi', filters.join(';'), '-fps_mode', 'passthrough', '-f', 'null', '-'], {
      program,
      background: true,
      only: { reads: [encoded.path, original.path], writes: [folder] },
      ...(signal && { signal }),
    })
    return JSON.parse(await readFile(log, 'utf8'))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
