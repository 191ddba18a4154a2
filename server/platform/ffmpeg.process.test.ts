import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { processesWith } from '../testing/processes.ts'
import { provide } from '../testing/settings.ts'
import { PRINT_SLICE, sliceOf } from '../testing/time-slice.ts'
import { HUGE_PAGE_SETTINGS, hugePages } from './allocator.ts'
import { ffmpeg, ffprobe, guardedInput, ProgramFailed } from './ffmpeg.ts'
import { IDLE_CLASS } from './time-slice.ts'

provide({ BASE_URL: 'http://localhost' })
let scratch: string
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'reelgate-ffmpeg-'))
})
afterAll(() => rm(scratch, { recursive: true, force: true }))

/** Arguments of an endless run. */
const endless = ['-f', 'lavfi', '-re', '-i', 'testsrc2=size=64x64:rate=5', '-f', 'null', '-progress', 'pipe:1']

/** Scheduling policies of Linux. */
const SCHED_OTHER = '0'
const SCHED_IDLE = '5'

it('ends at once when its signal aborts, with the reason of the signal', async () => {
  const stop = new AbortController()
  const mark = `mark-${process.pid}-abort`
  const reason = new Error('enough')
  const ended = ffmpeg([...endless, '-metadata', `comment=${mark}`, '-'], { signal: stop.signal, onLine: () => stop.abort(reason) })
  await expect(ended).rejects.toBe(reason)
  expect(await processesWith(mark)).toEqual([])
  await expect(ffmpeg(endless, { signal: stop.signal })).rejects.toBe(reason)
})

it.runIf(process.platform === 'linux')('ends with this process, even when that is killed', async () => {
  const mark = `mark-${process.pid}-orphan`
  const module = (name: string) => JSON.stringify(join(import.meta.dirname, name))
  const code = `
    const { readSettings } = await import(${module('config.ts')})
    const { createContainer, setContainer } = await import(${module('container.ts')})
    const { makeFoundPrograms } = await import(${module('ffmpeg-programs.ts')})
    const { detectAbilities } = await import(${module('sandbox.ts')})
    const { ffmpeg } = await import(${module('ffmpeg.ts')})
    const settings = () => readSettings({ BASE_URL: 'http://localhost' })
    setContainer(createContainer({ settings, ffmpegPrograms: makeFoundPrograms, sandboxAbilities: detectAbilities }))
    await ffmpeg(${JSON.stringify([...endless, '-metadata', `comment=${mark}`, '-'])})`
  const parent = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: 'ignore' })
  await vi.waitFor(async () => expect(await processesWith(mark)).not.toEqual([]))
  parent.kill('SIGKILL')
  await vi.waitFor(async () => expect(await processesWith(mark)).toEqual([]))
})

const { GLIBC_TUNABLES: tunables } = hugePages()
const settings = tunables ? HUGE_PAGE_SETTINGS.map((path) => readFileSync(path, 'utf8').trim()) : []
it.runIf(tunables).each([
  { background: true, expected: [tunables, ...settings] },
  { background: false, expected: ['', 'hidden'] },
])('gives huge pages, and a view of their settings, to confined programs in the background alone: $background', async (given) => {
  const program = join(scratch, 'print-huge-pages')
  const lines = ['#!/bin/sh', 'echo "$GLIBC_TUNABLES"', `cat ${HUGE_PAGE_SETTINGS.join(' ')} 2>/dev/null || echo hidden`]
  await writeFile(program, lines.join('\n'), { mode: 0o755 })
  const printed: string[] = []
  const only = { reads: [], writes: [] }
  await ffmpeg([], { program, only, background: given.background, onLine: (line) => printed.push(line) })
  expect(printed).toEqual(given.expected)
})

describe.runIf(process.platform === 'linux')('priority', () => {
  it.each([
    { work: 'ffmpeg', background: false, setting: 'idle', policy: SCHED_OTHER },
    { work: 'an encode', background: true, setting: 'idle', policy: SCHED_IDLE },
    { work: 'an encode that shall get a share', background: true, setting: 'low', policy: SCHED_OTHER },
  ])('$work runs at the lowest one of its class of processor and disk', async ({ background, setting, policy }) => {
    provide({ TRANSCODE_PRIORITY: setting })
    const stop = new AbortController()
    const mark = `mark-${process.pid}-priority-${setting}-${background}`
    const ended = ffmpeg([...endless, '-metadata', `comment=${mark}`, '-'], { signal: stop.signal, background })
    // Read once: a program has no command line while another one takes its place.
    const pid = await vi.waitFor(async () => {
      const found = await processesWith(mark)
      expect(found).toHaveLength(1)
      return found[0] as string
    })
    try {
      // Fields 19 and 41 of /proc/<pid>/stat; the second one may contain spaces.
      const stated = async (field: number) => (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ')[field - 3]
      // Has no effect in the idle class, whose commands may reset it.
      if (policy === SCHED_OTHER) expect(await stated(19)).toBe('15')
      // Its command line is visible before `chrt` and `ionice`, the first programs of it, have changed the classes.
      const disk = () => spawnSync('ionice', ['-p', pid], { encoding: 'utf8' })
      await vi.waitFor(() => expect(disk().error ? 'idle' : disk().stdout.trim()).toBe('idle'))
      expect(await stated(41)).toBe(spawnSync('chrt', ['--idle', '0', 'true']).status === 0 ? policy : SCHED_OTHER)
      const [command, ...args] = IDLE_CLASS.find(([program = '', ...rest]) => spawnSync(program, [...rest, 'true']).status === 0) ?? []
      if (policy === SCHED_IDLE && command)
        expect(sliceOf(pid)).toBe(spawnSync(command, [...args, ...PRINT_SLICE], { encoding: 'utf8' }).stdout)
    } finally {
      stop.abort()
      await ended.catch(() => {})
    }
  })
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
