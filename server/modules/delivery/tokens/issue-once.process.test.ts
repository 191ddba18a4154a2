import { beforeAll, expect, test } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { db } from '../../../platform/database/database.ts'
import { send } from '../../../testing/client.ts'
import { stopClock } from '../../../testing/clock.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount, makeKey, makeVideo } from '../../../testing/make.ts'
import { startWebProcesses, type WebProcess } from '../../../testing/services/web-process.ts'

await testDatabase()
let processes: WebProcess[]
let owner: AccountCtx
let videoId: string
beforeAll(async () => {
  processes = await startWebProcesses(2, { settings: { DATABASE_POOL: '4' } })
  owner = await makeAccount()
  videoId = await makeVideo(owner)
})

const issue = (worker: number, key: string, value: string) =>
  send(`${(processes[worker % 2] as WebProcess).url}/v1/video/${videoId}/playback-token`, {
    method: 'POST',
    headers: { 'x-service-key': key, 'Idempotency-Key': value },
  })
const issued = async (keyId: string) => (await db().keyDay.aggregate({ where: { keyId }, _sum: { issued: true } }))._sum.issued

test('issueOnce returns one token for one unit to 200 concurrent calls with one value, many more than there are connections', async () => {
  const key = await makeKey(owner)
  const answers = await Promise.all(Array.from({ length: 200 }, (_, worker) => issue(worker, key.value, 'burst')))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  expect(new Set(answers.map(({ body }) => JSON.parse(body).data.token)).size).toBe(1)
  expect(await issued(key.id)).toBe(1)
})

test('issueOnce separates values and keys: 40 values twice through each process give 40 tokens and 40 units', async () => {
  const key = await makeKey(owner)
  const answers = await Promise.all(Array.from({ length: 160 }, (_, worker) => issue(worker, key.value, `order-${worker % 40}`)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(160)
  expect(new Set(answers.map(({ body }) => JSON.parse(body).data.token)).size).toBe(40)
  expect(await issued(key.id)).toBe(40)
  const other = await makeKey(owner)
  const again = JSON.parse((await issue(0, other.value, 'order-1')).body).data.token
  expect(answers.some(({ body }) => JSON.parse(body).data.token === again)).toBe(false)
})

test('issueOnce does not store a refusal: once the quota is raised the same value gets its token', async () => {
  const key = await makeKey(owner)
  const raise = (dailyQuota: number) => db().apiKey.update({ where: { id: key.id }, data: { dailyQuota } })
  await raise(1)
  expect((await issue(0, key.value, 'first')).status).toBe(200)
  expect((await issue(0, key.value, 'second')).status).toBe(429)
  await raise(2)
  expect((await issue(1, key.value, 'second')).status).toBe(200)
  expect((await issue(1, key.value, 'first')).status).toBe(200)
  expect(await issued(key.id)).toBe(2)
})

test('issueOnce returns the remaining validity of a repeated token, and a new one after its 5 minutes', async () => {
  const key = await makeKey(owner)
  const setClock = await stopClock(undefined)
  const at = async (time: string) => {
    await setClock(`2026-03-01T${time}Z`)
    return JSON.parse((await issue(0, key.value, 'later')).body).data
  }
  const first = await at('10:00:00')
  expect(first.expiresIn).toBe(300)
  expect(await at('10:01:40')).toEqual({ ...first, expiresIn: 200 })
  expect(await at('10:04:59.9')).toEqual({ ...first, expiresIn: 1 })
  const second = await at('10:05:00')
  expect(second.expiresIn).toBe(300)
  expect(second.token).not.toBe(first.token)
  await setClock(undefined)
})
