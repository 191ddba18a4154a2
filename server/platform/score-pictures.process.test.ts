import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { atFileEnd } from '../testing/file-end.ts'
import { makeMediaFile } from '../testing/media-files.ts'
import { provide, renew } from '../testing/settings.ts'
import { services } from './container.ts'
import { ProgramFailed } from './ffmpeg.ts'
import { decodePictures, scorePictures } from './score-pictures.ts'

const FAILS_AFTER_ONE_BYTE = 'dd bs=1 count=1 <&4\ndd bs=1 count=1 <&3\nexit 3\n'

/** Sets `f` to the folder of the log, which is all that the scorer can write to. */
const FOLDER_OF_LOG = `for a; do case $a in *log_path=*) f=$(echo "$a" | sed 's/.*log_path=//; s,/vmaf.json.*,,');; esac; done\n`
/** Reads both inputs after the file `go` exists, and writes their checksums. */
const READS_WHEN_ALLOWED =
  ': > $f/begun; until [ -e $f/go ]; do sleep 0.01; done; cksum <&3 > $f/sums; cksum <&4 >> $f/sums; mv $f/sums $f/read; exit 3\n'

const folderOf = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'reelgate-scorer-'))
  atFileEnd(() => rm(folder, { recursive: true }))
  return folder
}

const clipOf = async () => {
  const path = await makeMediaFile('score-pictures.mkv', ['-f', 'lavfi', '-i', 'testsrc2=size=64x64:rate=2:duration=1', '-c:v', 'libx264'])
  return { args: ['-i', path], reads: [path] }
}

/** Replaces the program that scores pictures by a shell script. */
async function scoreWith(folder: string, script: string): Promise<void> {
  const scorer = join(folder, 'scorer')
  await writeFile(scorer, `#!/bin/sh\n${script}`)
  await chmod(scorer, 0o755)
  services().ffmpegPrograms.scorer = { program: scorer }
  atFileEnd(() => renew('ffmpegPrograms'))
}

provide({ BASE_URL: 'http://localhost' })

it('survives a scorer that ends before it has read all pictures', async () => {
  const folder = await folderOf()
  const encoded = await clipOf()
  const original = join(folder, 'original.y4m')
  await decodePictures(encoded, original, { threads: 1 })
  await scoreWith(folder, FAILS_AFTER_ONE_BYTE)
  const uncaught: Error[] = []
  const note = (error: Error) => uncaught.push(error)
  process.on('uncaughtException', note)
  for (const one of [original, encoded]) await expect(scorePictures({ original: one, encoded, threads: 1 })).rejects.toThrow(ProgramFailed)
  await new Promise(setImmediate)
  process.off('uncaughtException', note)
  expect(uncaught).toEqual([])
})

it('leaves pictures to the programs: they reach the scorer while this process is busy', async () => {
  const folder = await folderOf()
  // More pictures than pipes and streams hold.
  const path = await makeMediaFile('score-many-pictures.mkv', [
    '-f',
    'lavfi',
    '-i',
    'testsrc2=size=640x360:rate=25:duration=2',
    '-c:v',
    'libx264',
  ])
  const encoded = { args: ['-i', path], reads: [path] }
  const original = join(folder, 'original.y4m')
  await decodePictures(encoded, original, { threads: 1 })
  await scoreWith(folder, `${FOLDER_OF_LOG}${READS_WHEN_ALLOWED}`)
  vi.stubEnv('TMPDIR', folder)
  const scored = scorePictures({ original, encoded, threads: 1 }).catch((error) => error)
  const own = await vi.waitUntil(() => readdirSync(folder).find((name) => existsSync(join(folder, name, 'begun'))), { timeout: 20_000 })
  writeFileSync(join(folder, own, 'go'), '')
  const until = Date.now() + 20_000
  while (!existsSync(join(folder, own, 'read')) && Date.now() < until) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
  const read = readFileSync(join(folder, own, 'read'), 'utf8')
  vi.unstubAllEnvs()
  await scored
  expect(read.split('\n')[0]).toBe(read.split('\n')[1])
})

it('reports a full disk as such', async () => {
  await expect(decodePictures(await clipOf(), '/dev/full', { threads: 1 })).rejects.toMatchObject({
    output: expect.stringContaining('No space left on device'),
  })
})
