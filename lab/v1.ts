import { revokeKey } from '../server/modules/access/keys/end-key.ts'
import { SERVICE } from '../server/modules/audit/content-access.ts'
import { signToken } from '../server/modules/delivery/tokens/token.ts'
import { derivedKey } from '../server/platform/config/secrets.ts'
import { makeKey } from '../server/testing/make.ts'
import { type Child, startChild } from './child.ts'
import { withDatabase } from './database.ts'
import { filteredLists } from './filtered-list.ts'
import { interleaved, keyed, type LoadOptions, load, ROUNDS, type Target } from './load.ts'
import { isWanted } from './only.ts'
import type { Row } from './report.ts'
import { type Seeded, seedAccount } from './seed.ts'
import { spokenWords } from './spoken-words.ts'
import { viewerLists } from './viewer-lists.ts'

/** Compares /v1 with its ceilings, in one run. */
export const benchV1 = () =>
  withDatabase(async (settings, superuserUrl) => [
    ...(await againstCeilings(settings, await seedAccount(500))),
    ...(await filteredLists(settings, superuserUrl)),
    ...(await spokenWords(settings, superuserUrl)),
    ...(await viewerLists(settings, superuserUrl)),
  ])

/** Starts a bare server that sends the real one's response, byte for byte. */
async function bareTwin(target: Target): Promise<Child> {
  const response = await fetch(target.url, { method: target.method, headers: target.headers })
  const body = await response.text()
  const headers = Object.fromEntries([...response.headers].filter(([name]) => !['date', 'connection', 'keep-alive'].includes(name)))
  return startChild('bare', { status: response.status, headers, body })
}

async function againstCeilings(env: Record<string, string>, seeded: Seeded): Promise<Row[]> {
  const { key, videoId } = seeded
  const lane = await startChild('reelgate', { env })
  const rows: Row[] = []
  const rate = async (target: Target, options?: LoadOptions) => (await load(target, options)).rate

  const compare = async (
    work: string,
    baseline: string,
    reach: number,
    target: Target,
    other: () => Promise<number>,
    options: LoadOptions = {},
  ) => {
    if (!isWanted(work)) return
    const { a, b, ratio } = await interleaved(ROUNDS, () => rate(target, options), other)
    const half = await load(target, { ...options, rate: a / 2 })
    rows.push({ work, baseline, rate: a, ceiling: b, ratio, reach, p50: half.p50, p99: half.p99 })
  }
  const besideBare = async (work: string, reach: number, target: Target, options: LoadOptions = {}) => {
    if (!isWanted(work)) return
    const bare = await bareTwin(target)
    await compare(work, 'bare node:http, same bytes', reach, target, () => rate({ ...target, url: bare.url }, options), options)
    await bare.stop()
  }

  const video = keyed(lane.url, `/v1/video/${videoId}`, key)
  await besideBare('GET video, warm key', 0.6, video)
  if (isWanted('GET video')) {
    const next = await startChild('reelgate', { env, next: true })
    await compare('GET video', "Next's own route path", 12, video, () => rate(keyed(next.url, `/v1/video/${videoId}`, key)))
    await next.stop()
  }
  await besideBare('list of 500 videos', 0.8, keyed(lane.url, '/v1/video', key))
  await besideBare('401 of a badly formed key', 0.7, keyed(lane.url, '/v1/video', 'ak_live_nonsense'), { status: 401 })

  const token = (base: string) => keyed(base, `/v1/video/${videoId}/playback-token`, key, 'POST')
  for (const [quota, baseline, reach] of [
    ['none', 'no database at all', 0.45],
    ['single', 'a statement per request', 4],
  ] as const) {
    const other = await startChild('reelgate', { env, quota })
    const options = { connections: 64 }
    await compare('playback-token', baseline, reach, token(lane.url), () => rate(token(other.url), options), options)
    await other.stop()
  }

  const many = String(1e9)
  const unlimited = { MAX_UNFINISHED_UPLOADS: many, MAX_PENDING_VIDEOS: many, ACCOUNT_VIDEOS: many }
  const roomy = await startChild('reelgate', { env: { ...env, ...unlimited } })
  const writer = await makeKey(seeded.ctx, { scopes: ['video:write'] })
  const creation = keyed(roomy.url, '/v1/upload', writer.value, 'POST')
  const tokens = () => rate(token(roomy.url), { connections: 64 })
  await compare('upload creation', 'playback-token', 0.35, creation, tokens, { connections: 64, status: 201 })
  await roomy.stop()

  const pt = await signToken(SERVICE, { videoId, jti: 'tok_bench', iat: Math.floor(Date.now() / 1000) })
  const facts = { token: pt.slice(3), secret: derivedKey('playback-token').toString('hex'), issuer: 'reelgate', audience: 'playback' }
  const verifier = await startChild('verify', facts)
  const manifest = { url: `${lane.url}/v1/video/playback/manifest/${pt}` }
  await compare(
    'manifest exchange',
    'only verification, in a loop',
    0.5,
    manifest,
    async () => (await verifier.ask<{ rate: number }>('go')).rate,
  )
  await verifier.stop()

  if (isWanted('heap after 1 M requests')) rows.push(await memory(lane, video))
  if (isWanted('last read after a revocation')) rows.push(await revocation(seeded, video))
  await lane.stop()
  return rows
}

/** Measures the heap after a collection, before and after a million requests. */
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
    baseline: 'heap before',
    rate: after / 2 ** 20,
    ceiling: before / 2 ** 20,
    ratio: after / before,
    reach: 1.05,
    below: true,
    unit: 'MiB',
  }
}

/** The contract's bound between a revocation and the last request that the key opens, in milliseconds. */
const REVOKED_MS = 2_000

/** Measures for how long a process that has the key in its cache accepts it after it is revoked. */
async function revocation({ ctx, keyId }: Seeded, target: Target): Promise<Row> {
  let accepted = 0
  let last = 0
  const reading = (async () => {
    for (;;) {
      const sentAt = performance.now()
      const { status } = await fetch(target.url, { headers: target.headers })
      if (status !== 200) return
      accepted++
      last = sentAt
    }
  })()
  while (accepted < 100) await new Promise((resolve) => setImmediate(resolve))
  await revokeKey(ctx, { keyId })
  const since = performance.now()
  await reading
  const ms = Math.max(0, last - since)
  return {
    work: 'last read after a revocation',
    baseline: 'bound of the contract',
    rate: ms,
    ceiling: REVOKED_MS,
    ratio: ms / REVOKED_MS,
    reach: 1,
    below: true,
    unit: 'ms',
  }
}
