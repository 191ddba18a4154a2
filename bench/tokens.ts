import { signToken } from '../server/modules/playback/token.ts'
import { SERVICE } from '../server/modules/signing/content-access.ts'
import { type Child, startChild } from './child.ts'
import { withDatabase } from './database.ts'
import { interleaved, keyed, load, type Target } from './load.ts'
import type { Row } from './report.ts'
import { seedAccount } from './seed.ts'

/** Many short rounds in turn: other work of the machine then affects both alike. */
const ROUNDS = 24
const SECONDS = 1
/** If jose keeps at least this share of the rate, tokens should be signed and verified through it. */
const WORTH_IT = 0.85

/**
 * Compares playback tokens through jose with those signed and verified in place, in one run. The rate is requests per second of the
 * server's CPU time, its thread pool included: on a busy machine jose's threads get more of the cores than one thread does.
 */
export const benchTokens = () =>
  withDatabase(async (env): Promise<Row[]> => {
    const { key, videoId } = await seedAccount(1)
    const inPlace = await startChild('reelgate', { env, quota: 'none' })
    const jose = await startChild('reelgate-jose', { env, quota: 'none' })
    const token = await signToken(SERVICE, { videoId, jti: 'tok_bench', iat: Math.floor(Date.now() / 1_000) })
    const exchange = ({ url }: Child): Target => ({ url: `${url}/v1/video/playback/manifest/${token}` })
    const issue = ({ url }: Child): Target => keyed(url, `/v1/video/${videoId}/playback-token`, key, 'POST')
    const rows: Row[] = []
    for (const [work, targetOf] of [
      ['manifest exchange through jose', exchange],
      ['playback-token through jose', issue],
    ] as const) {
      for (const one of [inPlace, jose]) await load(targetOf(one), { seconds: SECONDS })
      const { a, b, ratio } = await interleaved(
        ROUNDS,
        () => perCpuSecond(jose, targetOf(jose)),
        () => perCpuSecond(inPlace, targetOf(inPlace)),
      )
      rows.push({ work, baseline: 'in place', rate: a, ceiling: b, ratio, reach: WORTH_IT, below: true, unit: '/CPU s' })
    }
    for (const one of [inPlace, jose]) await one.stop()
    return rows
  })

/** Returns the requests per second of the CPU time that the server used meanwhile. */
async function perCpuSecond(child: Child, target: Target): Promise<number> {
  const cpu = async () => {
    const { user, system } = (await child.ask<{ cpu: NodeJS.CpuUsage }>('cpu')).cpu
    return (user + system) / 1e6
  }
  const before = await cpu()
  const { total } = await load(target, { seconds: SECONDS })
  return total / ((await cpu()) - before)
}
