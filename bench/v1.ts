import { resolve } from 'node:path'
import { closeDb } from '../server/infra/db.ts'
import { provide } from '../server/infra/env.ts'
import { migrate } from '../server/infra/migrate.ts'
import { startEmbeddedPostgres } from '../server/infra/postgres/embedded.ts'
import { derivedKey } from '../server/infra/secrets.ts'
import { signToken } from '../server/playback/token.ts'
import { type Child, startChild } from './child.ts'
import { interleaved, type LoadOptions, load, type Target } from './load.ts'
import type { Row } from './report.ts'
import { type Seeded, seedAccount, seedKeys } from './seed.ts'

const ROUNDS = 5
const BENCH_DIR = resolve('.cache/bench')
const SECRET = 'the secret of the benchmark, shared with the servers it starts'

/** /v1 beside its ceilings, in one run. `growth` adds the same rows with a thousand times the data. */
export async function benchV1({ growth }: { growth: boolean }): Promise<Row[]> {
  const postgres = await startEmbeddedPostgres({ dataDir: BENCH_DIR, database: `bench_${process.pid}` })
  const settings = {
    DATABASE_URL: postgres.url,
    DATA_DIR: BENCH_DIR,
    REELGATE_SECRET: SECRET,
    BASE_URL: 'http://localhost',
    LOG_LEVEL: 'error',
  }
  provide(settings)
  await migrate(postgres.url)
  try {
    const seeded = await seedAccount(500)
    const rows = await againstCeilings(settings, seeded)
    return growth ? [...rows, ...(await flatness(settings))] : rows
  } finally {
    await closeDb()
    await postgres.stop()
  }
}

const keyed = (base: string, path: string, key: string, method: 'GET' | 'POST' = 'GET'): Target => ({
  url: base + path,
  method,
  headers: { 'x-service-key': key },
})

/** A bare server that answers what the real one answers, to the byte. */
async function bareTwin(target: Target): Promise<Child> {
  const response = await fetch(target.url, { method: target.method, headers: target.headers })
  const body = await response.text()
  const headers = Object.fromEntries([...response.headers].filter(([name]) => !['date', 'connection', 'keep-alive'].includes(name)))
  return startChild('bare', { status: response.status, headers, body })
}

async function againstCeilings(env: Record<string, string>, { key, videoId }: Seeded): Promise<Row[]> {
  const lane = await startChild('reelgate', { env })
  const rows: Row[] = []
  const rate = async (target: Target, options?: LoadOptions) => (await load(target, options)).rate

  const compare = async (
    work: string,
    beside: string,
    reach: number,
    target: Target,
    other: () => Promise<number>,
    options: LoadOptions = {},
  ) => {
    const { a, b, ratio } = await interleaved(ROUNDS, () => rate(target, options), other)
    const half = await load(target, { ...options, rate: a / 2 })
    rows.push({ work, beside, rate: a, ceiling: b, ratio, reach, p50: half.p50, p99: half.p99 })
  }
  const besideBare = async (work: string, reach: number, target: Target, options: LoadOptions = {}) => {
    const bare = await bareTwin(target)
    await compare(work, 'bare node:http, same bytes', reach, target, () => rate({ ...target, url: bare.url }, options), options)
    await bare.stop()
  }

  const video = keyed(lane.url, `/v1/video/${videoId}`, key)
  await besideBare('GET video, warm key', 0.6, video)
  const next = await startChild('reelgate', { env, next: true })
  await compare('GET video', "Next's own route path", 12, video, () => rate(keyed(next.url, `/v1/video/${videoId}`, key)))
  await next.stop()
  await besideBare('list of 500 videos', 0.8, keyed(lane.url, '/v1/video', key))
  await besideBare('401 of a badly formed key', 0.7, keyed(lane.url, '/v1/video', 'ak_live_nonsense'), { status: 401 })

  const token = (base: string) => keyed(base, `/v1/video/${videoId}/playback-token`, key, 'POST')
  for (const [quota, beside, reach] of [
    ['none', 'no database at all', 0.45],
    ['single', 'a statement per request', 4],
  ] as const) {
    const other = await startChild('reelgate', { env, quota })
    const options = { connections: 64 }
    await compare('playback-token', beside, reach, token(lane.url), () => rate(token(other.url), options), options)
    await other.stop()
  }

  const pt = await signToken({ videoId, jti: 'tok_bench', iat: Math.floor(Date.now() / 1000) })
  const facts = { token: pt.slice(3), secret: derivedKey('playback-token').toString('hex'), issuer: 'reelgate', audience: 'playback' }
  const verifier = await startChild('verify', facts)
  const manifest = { url: `${lane.url}/v1/video/playback/manifest/${pt}` }
  await compare(
    'manifest exchange',
    'verifying alone, in a loop',
    0.5,
    manifest,
    async () => (await verifier.ask<{ rate: number }>('go')).rate,
  )
  await verifier.stop()

  rows.push(await memory(lane, video))
  await lane.stop()
  return rows
}

/** Heap after a collection, before and after a million requests. */
async function memory(lane: Child, target: Target): Promise<Row> {
  const heap = async () => (await lane.ask<{ heap: number }>('heap')).heap
  const before = await heap()
  let sent = 0
  while (sent < 1_000_000) {
    const { rate } = await load(target, { seconds: 10, connections: 64 })
    sent += rate * 10
  }
  const after = await heap()
  return {
    work: 'heap after 1 M requests',
    beside: 'heap before',
    rate: after / 2 ** 20,
    ceiling: before / 2 ** 20,
    ratio: after / before,
    reach: 1.05,
    below: true,
    unit: 'MiB',
  }
}

/** What a request costs must not depend on how much there is. */
async function flatness(env: Record<string, string>): Promise<Row[]> {
  const small = await seedAccount(10)
  const large = await seedAccount(10_000)
  const rows: Row[] = []
  const server = await startChild('reelgate', { env })
  const ways = {
    'GET video': (seeded: Seeded) => keyed(server.url, `/v1/video/${seeded.videoId}`, seeded.key),
    'playback-token': (seeded: Seeded) => keyed(server.url, `/v1/video/${seeded.videoId}/playback-token`, seeded.key, 'POST'),
  }
  for (const [work, target] of Object.entries(ways)) {
    const options = { connections: 64 }
    const measure = (seeded: Seeded) => async () => (await load(target(seeded), options)).rate
    const { a, b, ratio } = await interleaved(ROUNDS, measure(large), measure(small))
    rows.push({ work: `${work}, 10,000 videos`, beside: '10 videos', rate: a, ceiling: b, ratio, reach: 0.9 })
  }
  await server.stop()
  for (const [work, target] of Object.entries(ways))
    rows.push(await withManyKeys(work, (base) => ({ ...target(small), url: target(small).url.replace(server.url, base) }), env))
  return rows
}

/** Few keys are measured first, then the same process's twin with 100,000: rows once there cannot be taken away. */
async function withManyKeys(work: string, target: (base: string) => Target, env: Record<string, string>): Promise<Row> {
  const options = { connections: 64, seconds: 4 }
  const measure = async () => {
    const server = await startChild('reelgate', { env })
    const rates = []
    for (let round = 0; round < ROUNDS; round++) rates.push((await load(target(server.url), options)).rate)
    await server.stop()
    return rates.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] as number
  }
  const few = await measure()
  await seedKeys(100_000)
  const many = await measure()
  return { work: `${work}, 100,000 keys`, beside: '100 keys', rate: many, ceiling: few, ratio: many / few, reach: 0.9 }
}
