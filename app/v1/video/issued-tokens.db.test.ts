import { beforeAll, expect, test } from 'vitest'
import type { AccountCtx } from '../../../server/context.ts'
import { revokeKey } from '../../../server/modules/access/keys/end-key.ts'
import { SERVICE } from '../../../server/modules/audit/content-access.ts'
import { signToken } from '../../../server/modules/delivery/tokens/token.ts'
import { db } from '../../../server/platform/database/database.ts'
import { notifications } from '../../../server/platform/database/notifications.ts'
import { send } from '../../../server/testing/client.ts'
import { testDatabase } from '../../../server/testing/database.ts'
import { startHttpServer } from '../../../server/testing/http-server.ts'
import { makeAccount, makeKey, makeVideo } from '../../../server/testing/make.ts'

await testDatabase()
const baseUrl = await startHttpServer()
let owner: AccountCtx
let videoId: string
beforeAll(async () => {
  await notifications().start()
  owner = await makeAccount()
  videoId = await makeVideo(owner)
  return () => notifications().stop()
})

const nowSec = () => Math.floor(Date.now() / 1_000)
async function exchange(token: string, search = ''): Promise<[status: number, code: string | undefined]> {
  const { status, body } = await send(`${baseUrl}/v1/video/playback/manifest/${token}${search}`)
  return [status, JSON.parse(body).error?.code]
}

test('a token outlives the key it was issued with; no other is issued (specification §5.7)', async () => {
  const key = await makeKey(owner)
  const issue = () => send(`${baseUrl}/v1/video/${videoId}/playback-token`, { method: 'POST', headers: { 'x-service-key': key.value } })
  const { token } = JSON.parse((await issue()).body).data
  await revokeKey(owner, { keyId: key.id })
  expect(await exchange(token)).toEqual([200, undefined])
  const refused = await issue()
  expect([refused.status, JSON.parse(refused.body).error.code]).toEqual([401, 'INVALID_API_KEY'])
})

test('a token is checked by its signature, then its age, then its video, then the video’s existence and state', async () => {
  const [gone, pending] = [await makeVideo(owner, { deletedAt: new Date() }), await makeVideo(owner, { status: 'PENDING', qualities: [] })]
  const tokenOf = (id: string, age = 0) => signToken(SERVICE, { videoId: id, jti: 'tok_test', iat: nowSec() - age })
  const broken = (token: string) => `${token.slice(0, -43)}${'A'.repeat(43)}`
  expect(await exchange(broken(tokenOf(gone, 301)), '?videoId=vid_other')).toEqual([401, 'PLAYBACK_TOKEN_INVALID'])
  expect(await exchange(tokenOf(gone, 301), '?videoId=vid_other')).toEqual([401, 'PLAYBACK_TOKEN_EXPIRED'])
  expect(await exchange(tokenOf(gone), '?videoId=vid_other')).toEqual([401, 'PLAYBACK_TOKEN_INVALID'])
  expect(await exchange(tokenOf(gone))).toEqual([404, 'VIDEO_NOT_FOUND'])
  expect(await exchange(tokenOf('vid_never'))).toEqual([404, 'VIDEO_NOT_FOUND'])
  expect(await exchange(tokenOf(pending))).toEqual([409, 'VIDEO_NOT_READY'])
  await db().media.update({ where: { id: pending }, data: { status: 'COMPLETED' } })
  await expect.poll(() => exchange(tokenOf(pending))).toEqual([200, undefined])
})
