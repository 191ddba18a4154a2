import { signToken } from '../server/playback/token.ts'
import { type Child, startChild } from './child.ts'
import { withDatabase } from './database.ts'
import { interleaved, keyed, load, type Target } from './load.ts'
import type { Row } from './report.ts'
import { seedAccount } from './seed.ts'

/** Many short rounds in turn: what else the machine does then meets both alike. */
const ROUNDS = 24
const SECONDS = 1
/** What jose has to keep of the pace to be used (decision 11). */
const REACH = 0.85

/**
 * Playback tokens through jose beside those signed and verified in place, in one run. The pace is requests for each second of CPU time that
 * the server used, its thread pool included; requests a second of the clock are said as well.
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
      const clock = { jose: [] as number[], inPlace: [] as number[] }
      const pace = async (name: keyof typeof clock, child: Child) => {
        const { rate, perCpuSecond } = await measure(child, targetOf(child))
        clock[name].push(rate)
        return perCpuSecond
      }
      const { a, b, ratio } = await interleaved(
        ROUNDS,
        () => pace('jose', jose),
        () => pace('inPlace', inPlace),
      )
      rows.push({ work, beside: 'in place, by CPU time', rate: a, ceiling: b, ratio, reach: REACH, unit: '/CPU s' })
      const ratios = clock.jose.map((rate, at) => rate / (clock.inPlace[at] as number))
      const middle = (values: number[]) => values.toSorted((x, y) => x - y)[Math.floor(values.length / 2)] as number
      rows.push({
        work,
        beside: 'in place, by the clock',
        rate: middle(clock.jose),
        ceiling: middle(clock.inPlace),
        ratio: middle(ratios),
        reach: REACH,
      })
    }
    for (const one of [inPlace, jose]) await one.stop()
    return rows
  })

async function measure(child: Child, target: Target): Promise<{ rate: number; perCpuSecond: number }> {
  const cpu = async () => {
    const { user, system } = (await child.ask<{ cpu: NodeJS.CpuUsage }>('cpu')).cpu
    return (user + system) / 1e6
  }
  const before = await cpu()
  const { rate, total } = await load(target, { seconds: SECONDS })
  return { rate, perCpuSecond: total / ((await cpu()) - before) }
}
