import { beforeAll, expect, it } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { stopClock } from '../../../testing/clock.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount, makeKey, makePlayable } from '../../../testing/make.ts'
import { startWebProcess, startWebProcesses, type WebProcess } from '../../../testing/services/web-process.ts'

await testDatabase()
const put = await stopClock(undefined)
let processes: [WebProcess, WebProcess]
let ctx: AccountCtx
let videoId: string
let key: string
beforeAll(async () => {
  processes = (await startWebProcesses(2)) as [WebProcess, WebProcess]
  ctx = await makeAccount()
  videoId = await makePlayable(ctx)
  key = (await makeKey(ctx, { scopes: ['video:read', 'viewer:write'] })).value
})

async function tokenFor(viewer: string): Promise<string> {
  const headers = { 'x-service-key': key, 'content-type': 'application/json' }
  const body = JSON.stringify({ viewer: { id: viewer }, maxSessions: 2 })
  const answer = await fetch(`${processes[0].url}/v1/video/${videoId}/playback-token`, { method: 'POST', headers, body })
  return (await answer.json()).data.token
}
/** Returns the status of the exchange. Repeats it while too many others wait, as a player does. */
async function exchange(token: string, process: WebProcess): Promise<number> {
  const { status } = await fetch(`${process.url}/v1/video/playback/manifest/${token}`)
  return status === 503 ? exchange(token, process) : status
}

it('exactly two of 200 simultaneous exchanges at two processes succeed; ending the viewer admits the next', async () => {
  const tokens = await Promise.all(Array.from({ length: 200 }, () => tokenFor('student')))
  const statuses = await Promise.all(tokens.map((token, at) => exchange(token, processes[at % 2] as WebProcess)))
  expect(Map.groupBy(statuses, (status) => status)).toEqual(
    new Map([
      [200, expect.objectContaining({ length: 2 })],
      [403, expect.objectContaining({ length: 198 })],
    ]),
  )
  expect(await exchange(await tokenFor('another'), processes[1])).toBe(200)
  const ended = await fetch(`${processes[0].url}/v1/viewer/student/end`, { method: 'POST', headers: { 'x-service-key': key } })
  expect((await ended.json()).data).toEqual({ id: 'student', ended: 2 })
  expect(await exchange(await tokenFor('student'), processes[1])).toBe(200)
})

it('the places of a killed process are free a minute later', { tags: ['deep'] }, async () => {
  const begin = Date.now()
  await put(new Date(begin))
  const third = await startWebProcess()
  for (const process of [third, third]) expect(await exchange(await tokenFor('traveller'), process)).toBe(200)
  await third.kill()
  const next = await tokenFor('traveller')
  expect(await exchange(next, processes[0])).toBe(403)
  await put(new Date(begin + 60_001))
  expect(await exchange(next, processes[0])).toBe(200)
  await put(undefined)
})
