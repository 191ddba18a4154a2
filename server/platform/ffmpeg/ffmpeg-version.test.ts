import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, expect, it } from 'vitest'
import { provide, renew } from '../../testing/settings.ts'
import { env } from '../config/config.ts'
import { checkPrograms, ffmpegProgram, ffprobeProgram } from './ffmpeg-programs.ts'

provide({ BASE_URL: 'http://localhost' })
const { PATH } = process.env
const { FFMPEG_PATH: set = '' } = env()
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reelgate-version-'))
  return () => rm(folder, { recursive: true })
})
afterEach(() => {
  process.env.PATH = PATH
  provide({ FFMPEG_PATH: set })
  renew('ffmpegPrograms')
})

/** Installs an ffmpeg that reports this version as the system's. */
async function install(version: string): Promise<string> {
  const path = join(folder, 'ffmpeg')
  await writeFile(
    path,
    `#!/bin/sh\necho 'ffmpeg version ${version} Copyright (c) the FFmpeg developers'\necho 'configuration: --enable-libx264'\n`,
  )
  await chmod(path, 0o755)
  process.env.PATH = `${folder}:${PATH}`
  provide({ FFMPEG_PATH: '' })
  renew('ffmpegPrograms')
  return path
}

it.each(['4.4.2-0ubuntu0.22.04.1', '5.0.1', '3.4', 'n4.3'])(
  'uses the ffmpeg that npm installed when the system’s %s is too old, and reports why',
  async (version) => {
    await install(version)
    const number = /\d+\.\d+/.exec(version)?.[0]
    expect(checkPrograms()).toMatch(
      new RegExp(`^\\d\\S* \\(\\S*node_modules\\S*\\); the system's version ${number}\\S* is older than 5\\.1 and is not used$`),
    )
  },
)

it.each(['5.1.9-0+deb12u1', '5.1', 'n7.0', '10.2', 'N-119000-g1234567', '2025-01-13-git-851a84650e-full_build'])(
  'uses the system’s ffmpeg %s',
  async (version) => {
    await install(version)
    expect(checkPrograms()).toMatch(/ \(ffmpeg\)$/)
  },
)

it('throws in words for the operator when the ffmpeg of FFMPEG_PATH is too old', async () => {
  const path = await install('4.4.2')
  provide({ FFMPEG_PATH: path })
  expect(() => checkPrograms()).toThrow(`FFMPEG_PATH refers to ffmpeg 4.4.2; 5.1 or newer is required.`)
})

it('uses the ffprobe in the folder of FFMPEG_PATH, and with that of npm the one of npm', async () => {
  const path = await install('7.1')
  const probe = join(folder, 'ffprobe')
  await writeFile(probe, '')
  provide({ FFMPEG_PATH: path })
  expect(ffprobeProgram()).toBe(probe)
  await rm(probe)
  renew('ffmpegPrograms')
  expect(ffprobeProgram()).not.toBe(probe)
  await install('4.0')
  const own = ffmpegProgram()
  provide({ FFMPEG_PATH: own })
  renew('ffmpegPrograms')
  expect([own, ffprobeProgram()]).toEqual([expect.stringMatching(/ffmpeg-binary/), expect.stringMatching(/ffprobe-installer/)])
})
