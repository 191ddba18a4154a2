import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { provide } from './env.ts'
import { ffmpeg, ProgramFailed } from './ffmpeg.ts'

provide({ BASE_URL: 'http://localhost', TRANSCODE_MEMORY_MB: '512' })

const encode = (size: string) => [
  '-f',
  'lavfi',
  '-i',
  `color=size=${size}:rate=5:duration=0.4`,
  '-c:v',
  'libx264',
  '-threads',
  '1',
  '-f',
  'null',
  '-',
]

it.runIf(spawnSync('prlimit', ['true']).status === 0)('ffmpeg has the memory it was given and no more', async () => {
  await expect(ffmpeg(encode('320x180'))).resolves.toBeDefined()
  const failure = await ffmpeg(encode('8192x4096')).catch((error) => error)
  expect(failure).toBeInstanceOf(ProgramFailed)
})
