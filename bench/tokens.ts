import { signToken } from '../server/modules/playback/token.ts'
import { type Child, startChild } from './child.ts'
import { withDatabase } from './database.ts'
import { interleaved, keyed, load, type Target } from './load.ts'
import type { Row } from './report.ts'
import { seedAccount } from './seed.ts'

/** Many short rounds in turn: what else the machine does then meets both alike. */
const ROUNDS = 24
const SECONDS = 1
/** Should jose keep as much of the pace, tokens are better signed and verified through it (decision 11). */
const WORTH_IT = 0.85

/**
 * Playback tokens through jose, compared in one run with those signed and verified in place. The pace is requests for each second of CPU time that
 * the server used, its thread pool included: on a busy machine jose's threads get more of the cores than one thread does.
 */
export const benchTokens = () =>
  withDatabase(async (env): Promise<Row[]> => {
    const { key, videoId } = await seedAccount(1)
    const inPlace = await startChild('reelgate', { env, quota: 'none' })
    const jose = await startChild('reelgate-jose', { env, quota: 'none' })
    const token = await signToken({ videoId, jti: 'tok_bench', iat: Math.floor(Date.now() / 1_000) })
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
      rows.push({ work, beside: 'in place', rate: a, ceiling: b, ratio, reach: WORTH_IT, below: true, unit: '/CPU s' })
    }
    for (const one of [inPlace, jose]) await one.stop()
    return rows
  })

/** Requests for each second of CPU time that the server used meanwhile. */
async function perCpuSecond(child: Child, target: Target): Promise<number> {
  const cpu = async () => {
    const { user, system } = (await child.ask<{ cpu: NodeJS.CpuUsage }>('cpu')).cpu
    return (user + system) / 1e6
  }
  const before = await cpu()
  const { total } = await load(target, { seconds: SECONDS })
  return total / ((await cpu()) - before)
}
