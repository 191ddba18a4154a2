import { pool } from '../server/platform/database.ts'
import { migrate } from '../server/platform/migrate.ts'
import { startChild } from './child.ts'
import { withDatabase } from './database.ts'
import { interleaved, keyed, type LoadOptions, load, ROUNDS, type Target } from './load.ts'
import type { Row } from './report.ts'
import type { Grown } from './servers/reelgate.ts'

/** Checks that the cost of a request does not depend on the amount of data: measures two servers on databases of two sizes in turn. */
export const benchGrowth = () => withDatabase(sizes)

async function sizes(env: Record<string, string>): Promise<Row[]> {
  const few = await grown(env, 'few', { videos: 10, keys: 100 })
  const many = await grown(env, 'many', { videos: 10_000, keys: 100_000 })
  const rows: Row[] = []
  for (const [work, way] of Object.entries(WAYS)) {
    const measure = (at: At) => async () => (await load(way.target(at), way.options)).rate
    const { a, b, ratio } = await interleaved(ROUNDS, measure(many), measure(few))
    rows.push({ work: `${work}: 10,000 videos, 100,000 keys`, baseline: '10 videos, 100 keys', rate: a, ceiling: b, ratio, reach: 0.9 })
  }
  await few.stop()
  await many.stop()
  return rows
}

type At = Grown & { url: string }

const WAYS: Record<string, { target: (at: At) => Target; options?: LoadOptions }> = {
  'GET video': { target: ({ url, videoId, key }) => keyed(url, `/v1/video/${videoId}`, key) },
  '401 of a badly formed key': { target: ({ url }) => keyed(url, '/v1/video', 'ak_live_nonsense'), options: { status: 401 } },
  'page of 10 videos': { target: ({ url, key }) => keyed(url, '/v1/video?limit=10', key) },
  'playback-token': {
    target: ({ url, videoId, key }) => keyed(url, `/v1/video/${videoId}/playback-token`, key, 'POST'),
    options: { connections: 64 },
  },
  'manifest exchange': { target: ({ url, token }) => ({ url: `${url}/v1/video/playback/manifest/${token}` }) },
}

async function grown(env: Record<string, string>, name: string, size: { videos: number; keys: number }) {
  const address = new URL(env.DATABASE_URL as string)
  address.pathname += `_${name}`
  await pool().query(`CREATE DATABASE "${address.pathname.slice(1)}"`)
  await migrate(address.href)
  const child = await startChild('reelgate', { env: { ...env, DATABASE_URL: address.href }, grow: size })
  return { ...(await child.ask<Grown>('grown')), url: child.url, stop: () => child.stop() }
}
