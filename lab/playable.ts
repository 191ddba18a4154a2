import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { AccountCtx, AccountId } from '../server/context.ts'
import { planOf } from '../server/modules/transcoding/plan/plan-video.ts'
import { queueTranscript } from '../server/modules/transcoding/transcripts/request-transcript.ts'
import { env } from '../server/platform/config/config.ts'
import { db } from '../server/platform/database/database.ts'
import type { Video } from '../server/platform/prisma/client.ts'
import { makeAccount } from '../server/testing/make.ts'
import { makeMediaFile } from '../server/testing/media/media-files.ts'
import { processesWith } from '../server/testing/services/processes.ts'
import { startWorkerProcess, type WorkerProcess } from '../server/testing/services/worker-process.ts'
import { pendingVideo } from '../server/testing/upload.ts'
import { median } from './load.ts'
import { isWanted } from './only.ts'
import type { Row } from './report.ts'
import { encodeInOnePass } from './single-pass.ts'
import { familyOf, inTurns } from './turns.ts'

/** Standard files by their minutes: seconds to playable that Mux publishes as its median, and the limit. */
const FILES = [
  { minutes: 0.25, mux: 2.0, reach: 2 },
  { minutes: 1, mux: 2.0, reach: 2 },
  { minutes: 5, mux: 3.3, reach: 3 },
  { minutes: 20, mux: 9.0, reach: 4 },
  { minutes: 60, mux: 46.4, reach: 6 },
] as const
/** Ten-minute files that are not standard ones: encoder and extension. */
const OTHERS = [
  { name: 'HEVC, 10 bit', file: 'hevc.mp4', encoder: ['-c:v', 'libx265', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p10le', '-b:v', '4M'] },
  { name: 'VP9', file: 'vp9.webm', encoder: ['-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8', '-b:v', '4M'] },
  { name: 'ProRes', file: 'prores.mov', encoder: ['-c:v', 'prores_ks', '-profile:v', 'proxy', '-q:v', '20'] },
] as const
const OTHER_MINUTES = 10
const OTHER_REACH_SEC = 15
/** Longer videos take longer to encode than anyone waits for a benchmark. `--long` measures their completion as well. */
const MOST_MINUTES = 5
/** Time to COMPLETED, relative to one ffmpeg pass over the file with the same ladder. */
const COMPLETED_REACH = 1.05
/** The same with captions from speech, relative to none. */
const CAPTIONS_REACH = 1.05
const POLL_MS = 50
/** Between checks of a video that plays: the service records times itself, and checks must not take them from its worker. */
const LATER_POLL_MS = 1_000
const PART_SEC = 60

/** Measures the seconds from a file's last byte until it plays, and until it is COMPLETED, with one worker process. */
export async function playableRows(): Promise<Row[]> {
  // Receipts are computed after COMPLETED, when the one pass that it is compared with must be alone.
  const rows = await captionRows()
  const worker = await startWorkerProcess('worker')
  try {
    for (const file of FILES) {
      const name = file.minutes < 1 ? `${file.minutes * 60} s` : `${file.minutes} min`
      if (!isWanted(`standard ${name}`)) continue
      const path = await standardFile(file.minutes)
      const { playable, whole } = await timesOf(path, file.minutes, worker)
      const work = `${name} of 1080p, from the last byte`
      const ratio = playable / file.mux
      const bound = { reach: Math.round((file.reach / file.mux) * 100) / 100, below: true }
      rows.push({ work: `${work} to playable`, baseline: 'median of Mux', rate: playable, ceiling: file.mux, ratio, ...bound, unit: 's' })
      if (whole) rows.push(completedRow(work, whole))
    }
    for (const { name, file, encoder } of OTHERS.filter(({ name }) => isWanted(name))) {
      const path = await repeated({ file, encoder, minutes: OTHER_MINUTES })
      const { playable, whole } = await timesOf(path, OTHER_MINUTES, worker)
      const work = `${OTHER_MINUTES} min of 1080p, ${name}, from the last byte`
      const ratio = playable / OTHER_REACH_SEC
      const bound = { reach: 1, below: true }
      rows.push({ work: `${work} to playable`, baseline: 'bound', rate: playable, ceiling: OTHER_REACH_SEC, ratio, ...bound, unit: 's' })
      if (whole) rows.push(completedRow(work, whole))
    }
    return rows
  } finally {
    await worker.kill()
  }
}

/** Videos that must be COMPLETED no later with captions than without: their minutes, and how often each is measured. */
const WITH_CAPTIONS = [
  { minutes: 1, pairs: 5 },
  { minutes: 5, pairs: 3 },
] as const

/**
 * Measures COMPLETED of videos that get captions from their speech while the worker transcribes an earlier video, in turns with COMPLETED of
 * the same file without any of that. Without pocketsphinx, nothing.
 */
async function captionRows(): Promise<Row[]> {
  const isLong = ['--long', '--only'].some((option) => process.argv.includes(option))
  const files = WITH_CAPTIONS.filter(({ minutes }) => isWanted(`captions ${minutes} min`) && (isLong || minutes === 1))
  if (files.length === 0 || spawnSync('pocketsphinx_continuous', ['-h']).error) return []
  const worker = await startWorkerProcess('worker', { SPEECH_ENGINE: 'pocketsphinx' })
  try {
    const ctx = await makeAccount()
    const earlier = await spokenVideo(ctx)
    const rows: Row[] = []
    for (const { minutes, pairs } of files) {
      const path = await spokenFile(minutes)
      const times: { with: number[]; without: number[] } = { with: [], without: [] }
      for (let pair = 0; pair < pairs; pair++)
        for (const how of pair % 2 === 0 ? (['with', 'without'] as const) : (['without', 'with'] as const)) {
          await transcribing(earlier, how === 'with')
          await db().account.update({ where: { id: ctx.accountId }, data: { autoCaptions: how === 'with' } })
          const id = await pendingVideo(ctx, path)
          const { createdAt, completedAt } = await reached(id, (video) => video.completedAt !== null, LATER_POLL_MS)
          times[how].push((Number(completedAt) - Number(createdAt)) / 1_000)
          process.stderr.write(`${minutes} min, ${how} captions: ${times[how].at(-1)} s\n`)
          await db().video.delete({ where: { id } })
        }
      const [rate, ceiling] = [median(times.with), median(times.without)]
      const work = `${minutes} min of 1080p with captions, another video being transcribed, to COMPLETED`
      const bound = { ratio: rate / ceiling, reach: CAPTIONS_REACH, below: true }
      rows.push({ work, baseline: `without, median of ${pairs}`, rate, ceiling, ...bound, unit: 's' })
    }
    return rows
  } finally {
    await worker.kill()
  }
}

/** Returns a COMPLETED video of an hour of speech with little picture. */
async function spokenVideo(ctx: AccountCtx): Promise<string> {
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=size=64x36:rate=5:duration=3600']
  const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-b:a', '64k']
  const path = await makeMediaFile('an-hour-of-speech.mp4', [...picture, ...SPEECH, ...codecs, '-t', '3600'])
  const id = await pendingVideo(ctx, path)
  await reached(id, ({ completedAt }) => completedAt !== null, LATER_POLL_MS)
  return id
}

/** Begins to transcribe a video anew and waits until a worker does; or ends it. */
async function transcribing(videoId: string, begins: boolean): Promise<void> {
  await db().transcript.deleteMany({ where: { videoId } })
  if (!begins) return
  const { accountId } = await db().video.findUniqueOrThrow({ where: { id: videoId }, select: { accountId: true } })
  await db().$transaction((tx) => queueTranscript(tx, { accountId: accountId as AccountId, videoId, wanted: 'auto', replaces: false }))
  while ((await db().transcriptChunk.count({ where: { videoId } })) === 0) await wait(POLL_MS)
}

/** Eleven seconds of speech, repeated. */
const SPEECH = ['-stream_loop', '-1', '-i', fileURLToPath(new URL('../server/platform/speech/sample.ogg', import.meta.url))]

/** Returns a standard file that is spoken in. */
async function spokenFile(minutes: number): Promise<string> {
  const streams = ['-map', '0:v', '-map', '1:a', '-c:v', 'copy', '-b:a', '128k', '-t', String(minutes * PART_SEC)]
  return makeMediaFile(`${minutes}-spoken.mp4`, ['-i', await standardFile(minutes), ...SPEECH, ...streams, '-movflags', '+faststart'])
}

function completedRow(work: string, { completed, onePass }: NonNullable<Times['whole']>): Row {
  const ratio = completed / onePass
  const bound = { reach: COMPLETED_REACH, below: true }
  return {
    work: `${work} to COMPLETED`,
    baseline: 'one pass of ffmpeg, same ladder',
    rate: completed,
    ceiling: onePass,
    ratio,
    ...bound,
    unit: 's',
  }
}

/** Returns an H.264 file of 1080p at 4 Mbit/s with a key frame every 2 s. */
function standardFile(minutes: number): Promise<string> {
  const x264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '60']
  return repeated({ file: 'standard.mp4', encoder: [...x264, '-b:v', '4M', '-maxrate', '4.2M', '-bufsize', '2M'], minutes })
}

/** Returns a file of 1080p with a tone. A minute of picture is encoded once and repeated. */
async function repeated({ file, encoder, minutes }: { file: string; encoder: readonly string[]; minutes: number }): Promise<string> {
  const picture = ['-f', 'lavfi', '-i', `testsrc2=size=1920x1080:rate=30:duration=${PART_SEC}`]
  const part = await makeMediaFile(`part-${file}`, [...picture, ...encoder])
  const seconds = minutes * PART_SEC
  const tone = ['-f', 'lavfi', '-i', `sine=frequency=440:sample_rate=48000:duration=${seconds}`]
  const streams = ['-map', '0:v', '-map', '1:a', '-c:v', 'copy', '-b:a', '128k', '-t', String(seconds)]
  const index = file.endsWith('.webm') ? [] : ['-movflags', '+faststart']
  return makeMediaFile(`${minutes}-${file}`, ['-stream_loop', String(Math.ceil(minutes) - 1), '-i', part, ...tone, ...streams, ...index])
}

interface Times {
  playable: number
  /** Of videos that are encoded whole: seconds to COMPLETED, and of one pass of ffmpeg. */
  whole?: { completed: number; onePass: number }
}

/** Measures a file. Once it plays, the worker and the one pass run in turns. */
async function timesOf(path: string, minutes: number, worker: WorkerProcess): Promise<Times> {
  const isWhole = minutes <= MOST_MINUTES || process.argv.includes('--long')
  const pass = isWhole ? await preparePass(path) : undefined
  const id = await pendingVideo(await makeAccount(), path)
  const { createdAt, playableAt, completedAt } = await reached(id, ({ playableAt }) => playableAt !== null, POLL_MS)
  const playable = (Number(playableAt) - Number(createdAt)) / 1_000
  if (!pass) {
    // Its worker stops, so that the next file is measured alone.
    await db().video.delete({ where: { id } })
    return { playable }
  }
  const before = (Number(completedAt ?? Date.now()) - Number(createdAt)) / 1_000
  const service = reached(id, ({ completedAt }) => completedAt !== null, LATER_POLL_MS).then(({ completedAt }) => Number(completedAt))
  const onePass = encodeInOnePass(pass).then(() => Date.now())
  const [after = 0, alone = 0] = await inTurns([
    { ended: service, processes: () => familyOf(worker.pid) },
    { ended: onePass, processes: async () => (await processesWith(pass.folder)).map(Number) },
  ])
  await rm(pass.folder, { recursive: true })
  return { playable, whole: { completed: before + after, onePass: alone } }
}

/** Returns what one pass of ffmpeg over a file, with the ladder of the service, needs. */
const preparePass = async (source: string) => ({
  source,
  folder: await mkdtemp(join(env().DATA_DIR, 'one-pass-')),
  plan: await planOf(source, '1080p', new AbortController().signal),
  threads: env().TRANSCODE_THREADS,
})

/** Waits until a video is as expected. Throws its reason if it fails. */
async function reached(id: string, isSo: (video: Video) => boolean, pollMs: number): Promise<Video> {
  for (;;) {
    const video = await db().video.findUniqueOrThrow({ where: { id }, include: { media: true } })
    if (video.media?.failureReason) throw new Error(video.media.failureReason)
    if (isSo(video)) return video
    await wait(pollMs)
  }
}
