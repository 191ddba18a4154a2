import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'

import { atFileEnd } from '../testing/file-end.ts'
import { makeMediaFile } from '../testing/media-files.ts'
import { provide, renew } from '../testing/settings.ts'
import { services } from './container.ts'
import { ProgramFailed } from './ffmpeg.ts'
import { scorerProgram } from './ffmpeg-programs.ts'
import { decodePictures, scorePictures } from './score-pictures.ts'

it('survives a scorer that ends when all pictures of one input are written to it and not read', async () => {
  provide({ BASE_URL: 'http://localhost' })
  const folder = await mkdtemp(join(tmpdir(), 'reelgate-scorer-'))
  atFileEnd(() => rm(folder, { recursive: true }))
  const scorer = join(folder, 'scorer')
  // The second input is a file, written long before the decoder of the first has started.
  await writeFile(scorer, '#!/bin/sh\ndd bs=1 count=1 <&4\ndd bs=1 count=1 <&3\nexit 3\n')
  await chmod(scorer, 0o755)
  const clip = await makeMediaFile('score-pictures.mkv', ['-f', 'lavfi', '-i', 'testsrc2=size=64x64:rate=2:duration=1', '-c:v', 'libx264'])
  const encoded = { args: ['-i', clip], reads: [clip] }
  const original = join(folder, 'original.y4m')
  await decodePictures(encoded, original, { threads: 1 })

  expect(scorerProgram()).not.toBe(scorer)
  services().ffmpegPrograms.scorer = { program: scorer }
  atFileEnd(() => renew('ffmpegPrograms'))
  const uncaught: Error[] = []
  const note = (error: Error) => uncaught.push(error)
  process.on('uncaughtException', note)
  await expect(scorePictures({ original, encoded, threads: 1 })).rejects.toThrow(ProgramFailed)
  await new Promise(setImmediate)
  process.off('uncaughtException', note)
  expect(uncaught).toEqual([])
})
