import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { db } from '#server/platform/database/database'
import { testDatabase } from '#server/testing/database'
import { startHttpServer } from '#server/testing/http-server'
import { makeAccount, makeKey, makeVideo } from '#server/testing/make'

await testDatabase()
const baseUrl = await startHttpServer()

let key: string
let expected: string[]
beforeAll(async () => {
  const owner = await makeAccount()
  key = (await makeKey(owner, { scopes: ['analytics:read'] })).value
  const { accountId } = owner
  // More than a page. Three days ago is within the range, even if the day ends during the test.
  const day = new Date(Date.now() - 3 * 86_400_000)
  const videos: string[] = []
  for (let at = 0; at < 103; at++) videos.push(await makeVideo(owner, { createdAt: new Date(Date.UTC(2026, 0, 1, 0, at)) }))
  const counted = videos.map((videoId, at) => ({ videoId, accountId, day, plays: at + 1, watchMs: BigInt(at * 60_000) }))
  await db().viewDay.createMany({ data: counted.map((row) => ({ ...row, startup: [], retention: [] })) })
  // Today is not over.
  await db().viewDay.create({
    data: { videoId: videos[0] as string, accountId, day: new Date(), plays: 1_000, startup: [], retention: [] },
  })
  expected = counted
    .toReversed()
    .slice(0, 10)
    .map(({ videoId, plays }) => `${videoId} ${plays} ${plays - 1} min`)
})

const run = (own: string) =>
  new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    const env = { ...process.env, REELGATE_URL: baseUrl, REELGATE_API_KEY: own }
    const program = join(process.cwd(), 'docs/snippets/most-watched.mjs')
    execFile(process.execPath, [program], { env }, (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }))
  })

it('the guide’s program prints the most played videos, or what was refused', async () => {
  const { code, stdout } = await run(key)
  expect([code, stdout.trim().split('\n')]).toEqual([0, expected])
  const refused = await run('ak_live_wrong')
  expect(refused.code).not.toBe(0)
  expect(refused.stderr).toMatch(/INVALID_API_KEY: .+ \(req_/)
})
