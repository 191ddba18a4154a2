import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import type { AccountCtx } from '../../context.ts'
import { asServiceError } from '../../errors.ts'
import { services } from '../../platform/container.ts'
import { ffmpeg } from '../../platform/ffmpeg/ffmpeg.ts'
import { ffmpegProgram } from '../../platform/ffmpeg/ffmpeg-programs.ts'
import { posterFrom } from '../../platform/ffmpeg/picture.ts'
import { asCaller } from '../../platform/turns/caller.ts'
import { testDatabase } from '../../testing/database.ts'
import { makeAccount, makeVideo } from '../../testing/make.ts'
import { provide, renew } from '../../testing/settings.ts'
import { uploadPoster } from './poster.ts'

const { dataDir } = await testDatabase()
const runLog = join(dataDir, 'runs.log')
let bomb: string
let small: string

async function png(size: string): Promise<string> {
  const path = join(dataDir, `${size}.png`)
  await ffmpeg([
    '-f',
    'lavfi',
    '-i',
    `color=black:size=${size}:rate=1:duration=1`,
    '-frames:v',
    '1',
    '-pix_fmt',
    'rgba64be',
    '-compression_level',
    '1',
    path,
  ])
  return (await readFile(path)).toString('base64')
}

beforeAll(async () => {
  small = await png('64x36')
  // Decoded it takes 284 MB, and more while it is encoded.
  bomb = await png('5960x5960')
  // An ffmpeg that logs its start and its end.
  const real = ffmpegProgram()
  const counting = join(dataDir, 'counting-ffmpeg')
  await writeFile(counting, `#!/bin/sh\nprintf '+' >> ${runLog}\n'${real}' "$@"\ncode=$?\nprintf -- '-' >> ${runLog}\nexit $code\n`)
  await chmod(counting, 0o755)
  provide({ FFMPEG_PATH: counting })
  renew('ffmpegPrograms')
  // A confined one could write no log outside its work folder.
  services().sandbox.way = undefined
})

/** Returns the maximum of concurrent runs and their total number. */
async function runs(): Promise<{ most: number; all: number }> {
  let [now, most, all] = [0, 0, 0]
  for (const sign of await readFile(runLog, 'utf8').catch(() => '')) {
    now += sign === '+' ? 1 : -1
    most = Math.max(most, now)
    if (sign === '+') all++
  }
  return { most, all }
}

const upload = async (ctx: AccountCtx, videoId: string, image: string) =>
  asCaller({ accountId: ctx.accountId }, () =>
    uploadPoster(ctx, { videoId, image: Buffer.from(image, 'base64'), expected: undefined }),
  ).then(
    () => 'done',
    (error: unknown) => {
      const { code, extras } = asServiceError(error)
      return `${code}${extras.retryAfter ? ' later' : ''}`
    },
  )
const count = (list: string[]) => Object.fromEntries([...new Set(list)].sort().map((one) => [one, list.filter((it) => it === one).length]))

it('uploadPoster refuses twenty large concurrent pictures of one account, most of them before decoding', async () => {
  const ctx = await makeAccount()
  const videoId = await makeVideo(ctx)
  const answers = await Promise.all(Array.from({ length: 20 }, () => upload(ctx, videoId, bomb)))
  const { INVALID_REQUEST: read = 0, 'TOO_MANY_ATTEMPTS later': refused = 0 } = count(answers)
  expect(read + refused).toBe(20)
  expect(refused).toBeGreaterThan(0)
  expect((await runs()).most).toBeLessThanOrEqual(2)
})

it('uploadPoster decodes pictures of many accounts two at a time, and the others wait', async () => {
  const before = (await runs()).all
  const accounts = await Promise.all(Array.from({ length: 3 }, () => makeAccount()))
  const videos = await Promise.all(accounts.map((ctx) => makeVideo(ctx)))
  const answers = await Promise.all(accounts.flatMap((ctx, at) => Array.from({ length: 4 }, () => upload(ctx, videos[at] ?? '', small))))
  expect(count(answers)).toEqual({ done: 12 })
  const { most, all } = await runs()
  expect([most, all - before]).toEqual([2, 12])
})

it('uploadPoster refuses further pictures of an account with a retry time while too many wait', async () => {
  const image = Buffer.from(small, 'base64')
  const answers = await Promise.all(
    Array.from({ length: 40 }, () =>
      asCaller({ accountId: 'acc_1' }, () => posterFrom(image)).then(
        () => 'done',
        (error) => {
          const { code, extras } = asServiceError(error)
          return `${code}, after ${extras.retryAfter} s`
        },
      ),
    ),
  )
  expect(count(answers)).toEqual({ done: 16, 'TOO_MANY_ATTEMPTS, after 5 s': 24 })
})
