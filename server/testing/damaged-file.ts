import { spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { ffprobeProgram } from '../platform/ffmpeg-programs.ts'

/** Writes a copy of a video in which the packets of a stream (`v`, `a`) between two times are zeros. */
export async function damageFile(path: string, into: string, { stream, from, to }: { stream: string; from: number; to: number }) {
  const columns = ['-select_streams', stream, '-show_entries', 'packet=pts_time,size,pos', '-of', 'csv=p=0']
  const { stdout } = spawnSync(ffprobeProgram(), ['-v', 'error', ...columns, path], { encoding: 'utf8', maxBuffer: 2 ** 26 })
  const file = await readFile(path)
  for (const line of stdout.trim().split('\n')) {
    const [time = 0, size = 0, position = 0] = line.split(',').map(Number)
    if (time >= from && time < to) file.fill(0, position, position + size)
  }
  await writeFile(into, file)
  return into
}
