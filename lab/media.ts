import { spawn, spawnSync } from 'node:child_process'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { planOf } from '../server/modules/transcoding/plan/plan-video.ts'
import { sampleClipArguments } from '../server/modules/transcoding/quality/sample-clip.ts'
import { segmentKey } from '../server/modules/videos/media-keys.ts'
import { env } from '../server/platform/config/config.ts'
import { freePort } from '../server/platform/config/free-port.ts'
import { closeDb, db } from '../server/platform/database/database.ts'
import { migrate } from '../server/platform/database/migrate.ts'
import { startEmbeddedPostgres } from '../server/platform/postgres/embedded.ts'
import { SERVICE_ROLE } from '../server/platform/postgres/roles.ts'
import { storage } from '../server/platform/storage/storage.ts'
import { buildContainer } from '../server/services.ts'
import { makeAccount } from '../server/testing/make.ts'
import { makeMediaFile } from '../server/testing/media/media-files.ts'
import { startWorkerProcess, type WorkerProcess } from '../server/testing/services/worker-process.ts'
import { pendingVideo } from '../server/testing/upload.ts'
import { megabytesPerSecond } from './bytes.ts'
import { startChild } from './child.ts'
import { cpuSeconds } from './cpu.ts'
import { interleaved, median } from './load.ts'
import { isWanted } from './only.ts'
import { playableRows } from './playable.ts'
import type { Row } from './report.ts'
import { benchSegmentMemory, manySegments } from './segments.ts'
import { encodeInOnePass } from './single-pass.ts'

const BENCH_DIR = resolve('.cache/bench')
/** With the key frames that x264 chooses, 8.3 s apart, it is not copied. BENCH_MEDIA_SEC sets another length. */
const CLIP = { seconds: Number(process.env.BENCH_MEDIA_SEC ?? 60), width: 1920, height: 1080, rate: 30 }
const PIPELINE_ROUNDS = 3
const ROUNDS = 5
const POLL_MS = 50
const never = new AbortController().signal

/**
 * Measures the pipeline's cost over ffmpeg alone, its output, the speed of serving segments compared with nginx, and the time until videos
 * can be watched.
 */
export const benchMedia = (): Promise<Row[]> =>
  withMedia(async (settings) => {
    const { rows, videoId } = await pipeline()
    if (isWanted('serving')) rows.push(...(await serving(settings, videoId)))
    return [...rows, ...(await playableRows())]
  })

/** Measures the time until videos can be watched. */
export const benchPlayable = (): Promise<Row[]> => withMedia(playableRows)

/** Runs a measurement with a database and a media folder of its own. */
async function withMedia(measure: (settings: Record<string, string>) => Promise<Row[]>): Promise<Row[]> {
  const postgres = await startEmbeddedPostgres({ dataDir: BENCH_DIR, database: `bench_media_${process.pid}` })
  const dataDir = await mkdtemp(join(tmpdir(), 'reelgate-bench-media-'))
  const settings = { DATABASE_URL: postgres.url, DATA_DIR: dataDir, BASE_URL: 'http://localhost', LOG_LEVEL: 'error' }
  buildContainer({ ...settings, REELGATE_SECRET: 'the secret of the benchmark, shared with the servers it starts' })
  await migrate(postgres.ownerUrl, { service: SERVICE_ROLE })
  try {
    return await measure(settings)
  } finally {
    await closeDb()
    await postgres.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

interface Cost {
  wall: number
  cpu: number
}
/** Returns what work costs, which this process or another one does. */
async function costOf(work: () => Promise<unknown>, pid?: number): Promise<Cost> {
  const [began, before] = [performance.now(), cpuSeconds(pid)]
  await work()
  return { wall: (performance.now() - began) / 1_000, cpu: cpuSeconds(pid) - before }
}

async function pipeline(): Promise<{ rows: Row[]; videoId: string }> {
  const worker = await startWorkerProcess('worker')
  try {
    return await pipelineOf(worker)
  } finally {
    await worker.kill()
  }
}

async function pipelineOf(worker: WorkerProcess): Promise<{ rows: Row[]; videoId: string }> {
  const clip = await makeMediaFile('bench-1080p.mp4', sampleClipArguments(CLIP))
  const plan = await planOf(clip, '1080p', never)
  const ctx = await makeAccount()
  let videoId = ''

  const alone = async () => {
    const folder = await mkdtemp(join(env().DATA_DIR, 'alone-'))
    await encodeInOnePass({ source: clip, folder, plan, threads: env().TRANSCODE_THREADS })
    await rm(folder, { recursive: true })
  }
  const whole = async () => {
    videoId = await pendingVideo(ctx, clip)
    while ((await db().media.count({ where: { id: videoId, completedAt: null, failureReason: null } })) > 0) await wait(POLL_MS)
  }
  const pairs: { ours: Cost; theirs: Cost }[] = []
  // In turn, with an alternating first of each pair, so that a change of the machine's speed affects both.
  for (let round = 0; round < PIPELINE_ROUNDS; round++) {
    const first = round % 2 === 0 ? await costOf(alone) : undefined
    const ours = await costOf(whole, worker.pid)
    pairs.push({ ours, theirs: first ?? (await costOf(alone)) })
  }
  const row = (what: 'wall' | 'cpu', unit: string, reach: number): Row => ({
    work: `pipeline, ${CLIP.seconds} s of 1080p, ${unit}`,
    baseline: 'only ffmpeg, same ladder',
    rate: median(pairs.map(({ ours }) => ours[what])),
    ceiling: median(pairs.map(({ theirs }) => theirs[what])),
    ratio: median(pairs.map(({ ours, theirs }) => ours[what] / theirs[what])),
    reach,
    below: true,
    unit: 's',
  })
  const speed = CLIP.seconds / median(pairs.map(({ ours }) => ours.wall))
  const informational = { reach: 0 }
  const rows: Row[] = [
    // The five chunks of a minute begin one after another; `playable --long` has the bound of longer videos.
    row('wall', 'wall clock', 1.2),
    row('cpu', 'processor', 1.05),
    { work: 'speed of the whole ladder', baseline: 'real time', rate: speed, ceiling: 1, ratio: speed, ...informational, unit: '×' },
  ]
  const sourceBytes = (await stat(clip)).size
  const { renditions: stored, audio } = await db().media.findFirstOrThrow({
    where: { videoId },
    include: { renditions: { orderBy: { height: 'desc' } }, audio: { orderBy: { position: 'asc' } } },
  })
  for (const { name, bytes } of [
    ...stored.map(({ quality, bytes }) => ({ name: quality, bytes })),
    ...audio.map(({ bytes }) => ({ name: 'sound', bytes })),
  ]) {
    const megabytes = { rate: Number(bytes) / 1e6, ceiling: sourceBytes / 1e6, ratio: Number(bytes) / sourceBytes }
    rows.push({ work: `stored ${name}`, baseline: 'the source file', ...megabytes, ...informational, unit: 'MB' })
  }
  return { rows, videoId }
}

/** Starts nginx with one process on the core of the measured server; returns undefined where it is not installed. */
async function startNginx(root: string): Promise<{ url: string; stop(): void } | undefined> {
  if (spawnSync('nginx', ['-v']).status !== 0) return undefined
  const folder = await mkdtemp(join(tmpdir(), 'reelgate-bench-nginx-'))
  const port = await freePort()
  const config = join(folder, 'nginx.conf')
  await writeFile(
    config,
    `daemon off; master_process off; worker_processes 1; pid ${folder}/pid; error_log stderr crit;
events { worker_connections 256; }
http { access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000; types { video/mp2t ts; }
  client_body_temp_path ${folder}/a; proxy_temp_path ${folder}/b; fastcgi_temp_path ${folder}/c; uwsgi_temp_path ${folder}/d; scgi_temp_path ${folder}/e;
  server { listen 127.0.0.1:${port}; root ${root}; add_header Cache-Control "public, max-age=31536000, immutable"; } }`,
  )
  const pinned = spawnSync('taskset', ['-c', '0', 'true']).status === 0 ? ['taskset', '-c', '0'] : []
  const [program = 'nginx', ...args] = [...pinned, 'nginx', '-p', folder, '-c', config]
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  process.on('exit', () => child.kill('SIGKILL'))
  const url = `http://127.0.0.1:${port}`
  while (!(await fetch(url).catch(() => undefined))) await wait(20)
  return { url, stop: () => void child.kill('SIGKILL') }
}

async function serving(settings: Record<string, string>, videoId: string): Promise<Row[]> {
  // The most common rendition on an average connection.
  const rendition = await db().rendition.findFirstOrThrow({ where: { mediaId: videoId, quality: '720p' } })
  const names = (rendition.segments as [string, number][]).map(([name]) => name)
  const [name = ''] = names
  const { path } = await storage().localFile(segmentKey(videoId, name))
  const nginx = await startNginx(join(path, '../..'))
  if (!nginx) {
    process.stderr.write('Skipped: comparison of segments with nginx, which is not installed. On Debian: apt-get install nginx-light\n')
    return []
  }
  const ours = await startChild('reelgate', { env: { ...settings, REELGATE_SECRET: env().REELGATE_SECRET ?? '', SEGMENT_MEMORY_MB: '64' } })
  try {
    const baseline = async (work: string, some: readonly string[]): Promise<Row> => {
      const under = (folder: string) => some.map((one) => `${folder}/${videoId}/${one}.ts`)
      const { a, b, ratio } = await interleaved(
        ROUNDS,
        () => megabytesPerSecond(ours.url, under('/cdn/segments')),
        () => megabytesPerSecond(nginx.url, under('')),
      )
      return { work, baseline: 'nginx', rate: a, ceiling: b, ratio, reach: 0.8, unit: 'MB/s' }
    }
    const many = await manySegments(path)
    return [
      await baseline(`${names.length} segments of 720p, requested by all clients`, names),
      await baseline(`${many.length} segments, more than the cache holds`, many),
      await benchSegmentMemory(ours, `${ours.url}/cdn/segments/${videoId}`, many),
    ]
  } finally {
    nginx.stop()
    await ours.stop()
  }
}
