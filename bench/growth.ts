import pg from 'pg'
import { migrate } from '../server/platform/migrate.ts'
import { OWNER_ROLE, SERVICE_ROLE } from '../server/platform/postgres/roles.ts'
import { startChild } from './child.ts'
import { withDatabase } from './database.ts'
import { interleaved, keyed, type LoadOptions, load, ROUNDS, type Target } from './load.ts'
import type { Row } from './report.ts'
import type { Grown } from './servers/reelgate.ts'

/** Checks that the cost of a request does not depend on the amount of data: measures two servers on databases of two sizes in turn. */
export const benchGrowth = () => withDatabase(sizes)

async function sizes(env: Record<string, string>, superuserUrl: string): Promise<Row[]> {
  const grown = (name: string, size: Size) => startGrown(env, { name, size, superuserUrl })
  const few = await grown('few', { videos: 10, keys: 100 })
  const many = await grown('many', { videos: 10_000, keys: 100_000 })
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

interface Size {
  videos: number
  keys: number
}

/** Starts a server on a database of its own, which it fills. */
async function startGrown(
  env: Record<string, string>,
  { name, size, superuserUrl }: { name: string; size: Size; superuserUrl: string },
): Promise<At & { stop: () => Promise<void> }> {
  const ownDatabase = (url: string) => {
    const address = new URL(url)
    address.pathname += `_${name}`
    return address
  }
  const ownerUrl = ownDatabase(env.DATABASE_OWNER_URL as string)
  await asAdmin(superuserUrl, `CREATE DATABASE "${ownerUrl.pathname.slice(1)}" OWNER ${OWNER_ROLE}`)
  await migrate(ownerUrl.href, { service: SERVICE_ROLE })
  const own = { ...env, DATABASE_URL: ownDatabase(env.DATABASE_URL as string).href, DATABASE_OWNER_URL: ownerUrl.href }
  const child = await startChild('reelgate', { env: own, grow: size })
  const grown = await child.ask<Grown>('grown')
  // Without statistics plans suit an empty table, until the server collects them itself. The role of the service may not.
  await asAdmin(ownerUrl.href, 'ANALYZE')
  return { ...grown, url: child.url, stop: () => child.stop() }
}

async function asAdmin(connectionString: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  await client.query(statement).finally(() => client.end())
}
