import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { expect, it, vi } from 'vitest'
import { processesWith } from '../testing/processes.ts'
import { provide, renew } from '../testing/settings.ts'
import { encodeCores } from './encode-cores.ts'
import { ffmpeg } from './ffmpeg.ts'
import { sandboxPrefix } from './sandbox.ts'

provide({ BASE_URL: 'http://localhost' })

const allowed = (status: string) => /^Cpus_allowed_list:\s*(.*)$/m.exec(status)?.[1]
/** The cores of each thread of a process, each list once. */
const coresOf = (pid: string | number) => [
  ...new Set(readdirSync(`/proc/${pid}/task`).map((thread) => allowed(readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8')))),
]
/** The cores of a program that starts now. */
function coresOfNext({ background = true } = {}) {
  const [command = '', ...args] = [...sandboxPrefix('cat', { online: false, background, reach: undefined }), 'cat', '/proc/self/status']
  return allowed(spawnSync(command, args, { encoding: 'utf8' }).stdout)
}

/** Runs an endless ffmpeg until `test` ends. */
async function during(background: boolean, test: (pid: string) => Promise<void>): Promise<void> {
  const stop = new AbortController()
  const mark = `mark-${process.pid}-cores-${background}`
  const endless = ['-f', 'lavfi', '-re', '-i', 'testsrc2=size=64x64:rate=5', '-f', 'null', '-metadata', `comment=${mark}`, '-']
  const ended = ffmpeg(endless, { signal: stop.signal, background })
  try {
    const pid = await vi.waitFor(async () => (await processesWith(mark))[0] ?? Promise.reject(new Error('not yet')))
    // Later ones inherit the cores of those that exist.
    await vi.waitFor(() => expect(readdirSync(`/proc/${pid}/task`).length).toBeGreaterThan(1))
    await test(pid)
  } finally {
    stop.abort()
    await ended.catch(() => {})
  }
}

const canSpare = process.platform === 'linux' && availableParallelism() > 1 && spawnSync('taskset', ['-c', '0-1023', 'true']).status === 0

it.runIf(canSpare)(
  'leaves a core to requests while there are many, in each thread of encodes that run and in those that start',
  async () => {
    provide({ TRANSCODE_SPARE_CORE_RATE: '10' })
    renew('encodeCores')
    const [all = ''] = coresOf(process.pid)
    await during(false, async (other) => {
      await during(true, async (encode) => {
        encodeCores().report(9.9, 0)
        expect(coresOfNext()).toBe(all)

        encodeCores().report(10, 0)
        const most = coresOfNext()
        expect(most).not.toBe(all)
        const cores = spawnSync('taskset', ['-c', most ?? '', 'nproc'], { encoding: 'utf8' }).stdout
        expect(Number(cores)).toBe(availableParallelism() - 1)
        await vi.waitFor(() => expect(coresOf(encode)).toEqual([most]))
        expect(coresOfNext({ background: false })).toBe(all)
        expect(coresOf(other)).toEqual([all])

        encodeCores().report(0, 29_999)
        expect(coresOfNext()).toBe(most)
        encodeCores().report(0, 30_000)
        expect(coresOfNext()).toBe(all)
        await vi.waitFor(() => expect(coresOf(encode)).toEqual([all]))
      })
    })
  },
)

it.runIf(canSpare)('moves its own process as well where that serves no requests, and back', async () => {
  provide({ TRANSCODE_SPARE_CORE_RATE: '10' })
  renew('encodeCores')
  const [all = ''] = coresOf(process.pid)
  encodeCores().add(process.pid)
  encodeCores().report(10, 0)
  await vi.waitFor(() => expect(coresOf(process.pid)).toEqual([coresOfNext()]))
  expect(coresOfNext()).not.toBe(all)
  // The process has fewer cores now: those that it had before must be kept for the way back.
  encodeCores().report(10, 5_000)
  await vi.waitFor(() => expect(coresOf(process.pid)).toEqual([coresOfNext()]))
  encodeCores().report(0, 35_000)
  await vi.waitFor(() => expect(coresOf(process.pid)).toEqual([all]))
})

it('uses all cores where the setting is 0', () => {
  provide({ TRANSCODE_SPARE_CORE_RATE: '0' })
  renew('encodeCores')
  encodeCores().report(1_000)
  expect(encodeCores().command()).toEqual([])
})
