import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { provide } from '../../testing/settings.ts'
import { services } from '../container.ts'
import { ffmpeg, ffprobe, guardedInput, ProgramFailed } from './ffmpeg.ts'

provide({ BASE_URL: 'http://localhost' })
let scratch: string
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'reelgate-ffmpeg-'))
})
afterAll(() => rm(scratch, { recursive: true, force: true }))

it('rejects with the reason of its signal', async () => {
  const stop = new AbortController()
  const reason = new Error('enough')
  const endless = ['-f', 'lavfi', '-re', '-i', 'testsrc2=size=64x64:rate=5', '-f', 'null', '-progress', 'pipe:1', '-']
  await expect(ffmpeg(endless, { signal: stop.signal, onLine: () => stop.abort(reason) })).rejects.toBe(reason)
  await expect(ffmpeg(endless, { signal: stop.signal })).rejects.toBe(reason)
})

/** Returns what a program prints that runs like ffmpeg. */
async function printed(script: string, options: { background?: boolean | 'last' }): Promise<string[]> {
  const program = join(scratch, 'print')
  await writeFile(program, `#!/bin/sh\n${script}`, { mode: 0o755 })
  const lines: string[] = []
  await ffmpeg([], { program, only: { reads: [], writes: [] }, ...options, onLine: (line) => lines.push(line) })
  return lines
}

it.runIf(process.platform === 'linux').each([
  { background: 'last', nice: '19' },
  { background: true, nice: '15' },
  { background: false, nice: '10' },
] as const)('runs at nice $nice, in the idle class of the disk: $background', async ({ background, nice }) => {
  const own = getPriority()
  expect(await printed('nice; ionice', { background })).toEqual([String(Math.min(19, own + Number(nice))), 'idle'])
})

it.runIf(services().sandbox.hugePages).each([
  { background: true, expected: ['glibc.malloc.hugetlb=1', '2097152'] },
  { background: false, expected: ['', '2097152'] },
])('gives huge pages to programs in the background alone: $background', async ({ background, expected }) => {
  const script = 'echo "$GLIBC_TUNABLES" | cut -d : -f 1; cat /sys/kernel/mm/transparent_hugepage/hpage_pmd_size'
  expect(await printed(script, { background })).toEqual(expected)
})

it('reports what was wrong with a file, and distinguishes it from a missing program', async () => {
  const path = join(scratch, 'noise.mp4')
  await writeFile(path, 'noise')
  await expect(ffprobe(path)).rejects.toBeInstanceOf(ProgramFailed)
  await expect(ffmpeg([...guardedInput(path), '-f', 'null', '-'])).rejects.toThrow(/ffmpeg ended with \d+: .*Invalid data/)
})

describe('a disguised file', () => {
  it.each([
    ['an HLS playlist', (other: string) => `#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5,\n${other}\n#EXT-X-ENDLIST\n`],
    ['a joined list', (other: string) => `ffconcat version 1.0\nfile '${other}'\n`],
  ])('as %s does not make ffmpeg read another file', async (name, content) => {
    const secret = join(scratch, 'secret.ts')
    await ffmpeg(['-f', 'lavfi', '-i', 'testsrc2=size=64x64:rate=5:duration=1', '-c:v', 'mpeg2video', secret])
    const path = join(scratch, `${name}.ts`)
    await writeFile(path, content(secret))
    await expect(ffprobe(path)).rejects.toBeInstanceOf(ProgramFailed)
    await expect(ffmpeg([...guardedInput(path), '-f', 'null', '-'])).rejects.toBeInstanceOf(ProgramFailed)
    // Unguarded it would, which shows that the test can fail.
    await expect(
      ffmpeg([...(name === 'a joined list' ? ['-safe', '0', '-f', 'concat'] : ['-f', 'hls']), '-i', path, '-f', 'null', '-']),
    ).resolves.toBeDefined()
  })
})
