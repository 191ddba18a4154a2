import { beforeAll, expect, test, vi } from 'vitest'
import type { AccountCtx } from '../../context.ts'
import { JOBS } from '../../jobs.ts'
import { db } from '../../platform/database/database.ts'
import { startQueue, stopQueue } from '../../platform/job-queue.ts'
import { storage } from '../../platform/storage/storage.ts'
import { send } from '../../testing/client.ts'
import { testDatabase } from '../../testing/database.ts'
import { makeAccount, makeKey } from '../../testing/make.ts'
import { makePlayable } from '../../testing/media/playable.ts'
import { startWebProcesses, type WebProcess } from '../../testing/services/web-process.ts'
import type { CreatedKey } from '../access/keys/create-key.ts'
import { getForDashboard } from '../dashboard/get-video.ts'
import { deleteAccount } from '../identity/accounts/delete-account.ts'
import { editVideo } from './edit-video.ts'
import { segmentPrefix } from './media-keys.ts'
import { purgeVideos, removeVideo, restoreVideo } from './remove.ts'
import { liftTakeDown, takeDown } from './take-down.ts'

await testDatabase()

let processes: WebProcess[]
let owner: AccountCtx
let operator: AccountCtx
let key: CreatedKey
const REASON = 'A court order, case 7'

beforeAll(async () => {
  processes = await startWebProcesses(3)
  owner = await makeAccount()
  operator = { ...owner, actor: { kind: 'operator' } }
  key = await makeKey(owner)
})

const request = async ({ url }: WebProcess, path: string, method = 'GET') => {
  const { status, body } = await send(url + path, { method, headers: { 'x-service-key': key.value } })
  return status < 400 ? status : (JSON.parse(body) as { error: { code: string } }).error.code
}

test('takeDown refuses the video in every process, other videos of the account are served, and liftTakeDown restores it', async () => {
  const playable = await makePlayable(owner, { encrypted: false })
  const other = await makePlayable(owner)
  const issued = await send(`${processes[0]?.url}/v1/video/${playable.id}/playback-token`, {
    method: 'POST',
    headers: { 'x-service-key': key.value },
  })
  const { token } = (JSON.parse(issued.body) as { data: { token: string } }).data
  const calls = [
    ['GET', `/v1/video/${playable.id}`],
    ['POST', `/v1/video/${playable.id}/playback-token`],
    ['GET', `/v1/video/playback/manifest/${token}`],
    ...[...playable.granted, playable.segment].map((path) => ['GET', path]),
  ] as [string, string][]
  const everywhere = (some = calls) =>
    Promise.all(processes.flatMap((process) => some.map(([method, path]) => request(process, path, method))))
  const listed = async (process: WebProcess) =>
    (await send(`${process.url}/v1/video`, { headers: { 'x-service-key': key.value } })).body.includes(playable.id)
  expect(new Set(await everywhere())).toEqual(new Set([200]))

  await takeDown(operator, { videoId: playable.id, reason: REASON })
  const refused = async () => {
    expect(new Set(await everywhere())).toEqual(new Set(['VIDEO_NOT_FOUND', 'NOT_FOUND']))
    expect(await Promise.all(processes.map(listed))).toEqual([false, false, false])
  }
  await vi.waitFor(refused)
  for (let round = 0; round < 5; round++) await refused()
  const others = other.granted.map((path) => ['GET', path] as [string, string])
  expect(new Set(await everywhere(others))).toEqual(new Set([200]))

  await liftTakeDown(operator, { videoId: playable.id, reason: 'The order was lifted' })
  await vi.waitFor(async () => expect(new Set(await everywhere())).toEqual(new Set([200])))
})

test('the owner of a video that was taken down sees the reason, can only delete it, and its media is kept until it is put back', async () => {
  const { id: videoId } = await makePlayable(owner)
  await takeDown(operator, { videoId, reason: REASON })
  expect(await getForDashboard(owner, { videoId })).toMatchObject({
    takedownReason: REASON,
    posterUrl: null,
    posters: [],
    storyboardUrl: null,
  })
  await expect(editVideo(owner, { videoId, title: 'Another', description: null })).rejects.toMatchObject({
    code: 'CONFLICT',
    message: expect.stringContaining(REASON),
  })
  await expect(liftTakeDown(owner, { videoId, reason: 'Please' })).rejects.toMatchObject({ code: 'FORBIDDEN' })
  await removeVideo(owner, { videoId })
  await restoreVideo(owner, { videoId })
  expect(await request(processes[0] as WebProcess, `/v1/video/${videoId}`)).toBe('VIDEO_NOT_FOUND')

  await removeVideo(owner, { videoId })
  await db().$executeRaw`UPDATE video SET deleted_at = service_now() - interval '30 days' WHERE id = ${videoId}`
  expect(await purgeVideos()).toBe(0)
  await expect(deleteAccount(owner, { name: 'Test' })).rejects.toMatchObject({ code: 'CONFLICT' })
  // Whatever statement is used.
  await expect(db().$executeRaw`DELETE FROM video WHERE id = ${videoId}`).rejects.toThrow(/is held/)
  await expect(db().$executeRaw`DELETE FROM account WHERE id = ${owner.accountId}`).rejects.toThrow(/is held/)
  const stored = []
  for await (const one of storage().list(segmentPrefix(videoId))) stored.push(one)
  expect(stored).toHaveLength(1)

  await liftTakeDown(operator, { videoId, reason: 'The order was lifted' })
  await startQueue(JOBS)
  expect(await purgeVideos()).toBe(1)
  await stopQueue()
})
