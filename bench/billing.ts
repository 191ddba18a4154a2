import { db, pool } from '../server/platform/database.ts'
import { makeKey } from '../server/testing/make.ts'
import { startChild } from './child.ts'
import { withDatabase } from './database.ts'
import { interleaved, keyed, load, ROUNDS } from './load.ts'
import type { Row } from './report.ts'
import { seedAccount } from './seed.ts'

const CONNECTIONS = 64
const KEYS = 8

/** Compares the creation of paid tokens with that of free ones: by one key, and by several keys that share a wallet. */
export const benchBilling = () => withDatabase(paidBesideFree)

async function paidBesideFree(env: Record<string, string>): Promise<Row[]> {
  const [free, paid] = [await several(), await several()]
  await db().account.update({ where: { id: paid.accountId }, data: { tier: 'PAID' } })
  await db().wallet.update({ where: { accountId: paid.accountId }, data: { balance: 10n ** 15n, posted: 10n ** 15n } })
  const server = await startChild('reelgate', { env })
  const rate = async ({ videoId, keys }: Several, count: number) => {
    const target = (key: string) => keyed(server.url, `/v1/video/${videoId}/playback-token`, key, 'POST')
    const all = await Promise.all(keys.slice(0, count).map((key) => load(target(key), { connections: CONNECTIONS / count })))
    return all.reduce((sum, one) => sum + one.rate, 0)
  }
  const rows: Row[] = []
  for (const count of [1, KEYS]) {
    const { a, b, ratio } = await interleaved(
      ROUNDS,
      () => rate(paid, count),
      () => rate(free, count),
    )
    const who = count === 1 ? 'one key' : `${count} keys of an account`
    rows.push({
      work: `playback-token on the paid tier, ${who}`,
      baseline: 'the same on the free tier',
      rate: a,
      ceiling: b,
      ratio,
      reach: 0.9,
    })
  }
  await server.stop()
  await exact(paid.accountId)
  return rows
}

interface Several {
  accountId: string
  videoId: string
  keys: string[]
}

async function several(): Promise<Several> {
  const { ctx, key, videoId } = await seedAccount(1)
  const others = await Promise.all(Array.from({ length: KEYS - 1 }, () => makeKey(ctx)))
  await db().apiKey.updateMany({ where: { accountId: ctx.accountId }, data: { dailyQuota: 2_000_000_000 } })
  return { accountId: ctx.accountId, videoId, keys: [key, ...others.map(({ value }) => value)] }
}

/** Checks that every token was paid: a fast response that was not paid for is no result. */
async function exact(accountId: string): Promise<void> {
  const { rows } = await pool().query<{ issued: string; charged: string; spent: string }>(
    `SELECT (SELECT sum(d.issued) FROM key_day d JOIN api_key k ON k.id = d.key_id WHERE k.account_id = $1) AS issued,
      (SELECT sum(tokens) FROM charge_hour WHERE account_id = $1) AS charged, ((posted - balance) / 500)::text AS spent FROM wallet WHERE account_id = $1`,
    [accountId],
  )
  const [counted] = rows
  if (!counted || counted.issued !== counted.charged || counted.charged !== counted.spent)
    throw new Error(`issued tokens differ from charged tokens: ${JSON.stringify(counted)}`)
}
