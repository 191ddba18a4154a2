import { spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { ffprobeProgram } from '../../platform/ffmpeg/ffmpeg-programs.ts'

interface Damage {
  /** `v` or `a`. */
  stream: string
  from: number
  to: number
  /** First bytes of each packet that stay, such as the length and type of its unit; 0 by default. */
  keep?: number
}

/** Writes a copy of a video in which one stream's packets between two times are zeros. */
export async function damageFile(path: string, into: string, { stream, from, to, keep = 0 }: Damage) {
  const columns = ['-select_streams', stream, '-show_entries', 'packet=pts_time,size,pos', '-of', 'csv=p=0']
  const { stdout } = spawnSync(ffprobeProgram(), ['-v', 'error', ...columns, path], { encoding: 'utf8', maxBuffer: 2 ** 26 })
  const file = await readFile(path)
  for (const line of stdout.trim().split('\n')) {
    const [time = 0, size = 0, position = 0] = line.split(',').map(Number)
    if (time >= from && time < to) file.fill(0, Math.min(position + keep, position + size), position + size)
  }
  await writeFile(into, file)
  return into
}
