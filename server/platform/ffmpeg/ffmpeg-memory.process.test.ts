import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { provide, renew } from '../../testing/settings.ts'
import { ffmpeg, ProgramFailed } from './ffmpeg.ts'

provide({ BASE_URL: 'http://localhost', TRANSCODE_MEMORY_MB: '512' })
const bare = mkdtempSync(join(tmpdir(), 'reelgate-path-'))
for (const name of ['sh', 'true']) symlinkSync(`/bin/${name}`, join(bare, name))
afterAll(() => {
  vi.unstubAllEnvs()
  rmSync(bare, { recursive: true })
})

const encode = (size: string) => [
  ...['-f', 'lavfi', '-i', `color=size=${size}:rate=5:duration=0.4`],
  ...['-c:v', 'libx264', '-threads', '1', '-f', 'null', '-'],
]

describe.runIf(process.platform === 'linux').each([
  ['with every installed tool', undefined],
  ['where only a shell is installed', bare],
])('%s', (_name, path) => {
  beforeEach(() => {
    if (path) vi.stubEnv('PATH', path)
    // What was detected is kept for the life of a process.
    renew('ffmpegPrograms', 'sandbox')
  })

  it('limits the memory of ffmpeg, and reports exhausted memory as the cause', async () => {
    await expect(ffmpeg(encode('320x180'))).resolves.toBeDefined()
    const failure = await ffmpeg(encode('8192x4096')).catch((error) => error)
    expect(failure).toBeInstanceOf(ProgramFailed)
    expect(failure.outOfMemory, failure.output).toBe(true)
    await expect(ffmpeg(encode('8192x4096'), { megabytes: 4_000 })).resolves.toBeDefined()
  })
})
