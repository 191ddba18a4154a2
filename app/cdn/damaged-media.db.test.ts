import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, it, vi } from 'vitest'
import type { AccountCtx } from '../../server/context.ts'
import { contentName } from '../../server/modules/transcoding/encode/segment-store.ts'
import { damagedRefused } from '../../server/modules/videos/media-faults.ts'
import { extraKey } from '../../server/modules/videos/media-keys.ts'
import { db } from '../../server/platform/database/database.ts'
import { storage } from '../../server/platform/storage/storage.ts'
import { testDatabase } from '../../server/testing/database.ts'
import { startHttpServer } from '../../server/testing/http-server.ts'
import { expectLoggedErrors } from '../../server/testing/logs.ts'
import { makeAccount } from '../../server/testing/make.ts'
import { makePlayable } from '../../server/testing/media/playable.ts'
import { renew } from '../../server/testing/settings.ts'

const { dataDir } = await testDatabase()
expectLoggedErrors(/content of a stored object does not match its name/)
let base: string
let ctx: AccountCtx
beforeAll(async () => {
  base = await startHttpServer()
  ctx = await makeAccount()
})

/** Flips one bit of an object, or flips it back. */
async function flip(key: string): Promise<void> {
  const path = join(dataDir, 'media', key)
  const body = await readFile(path)
  body[50] = (body[50] as number) ^ 1
  await writeFile(path, body)
}
const faults = (videoId: string) => db().mediaFault.findMany({ where: { mediaId: videoId } })

it.each([
  ['whole', {}],
  ['a range of it', { Range: 'bytes=0-9' }],
])('refuses a segment with one flipped bit, %s, to clients and caches, and requests its repair', async (_, headers) => {
  const { id, segment } = await makePlayable(ctx)
  const key = segment.replace('/cdn/', '')
  await flip(key)
  const refusals = () => damagedRefused.read()[0]?.value as number
  const before = refusals()
  for (let made = 0; made < 2; made++) {
    const response = await fetch(base + segment, { headers })
    expect([response.status, response.headers.get('cache-control'), response.headers.get('retry-after')]).toEqual([503, 'no-store', '60'])
    expect(await response.json()).toMatchObject({ error: { code: 'SERVICE_UNAVAILABLE', message: expect.stringContaining('damaged') } })
  }
  expect(refusals()).toBe(before + 2)
  await vi.waitFor(async () => expect(await faults(id)).toMatchObject([{ key, kind: 'changed', dueAt: expect.any(Date) }]))
  await flip(key)
  expect((await fetch(base + segment, { headers })).ok).toBe(true)
})

it('refuses a truncated segment', async () => {
  const { segment } = await makePlayable(ctx)
  const path = join(dataDir, 'media', segment.replace('/cdn/', ''))
  await writeFile(path, (await readFile(path)).subarray(0, 60))
  expect((await fetch(base + segment)).status).toBe(503)
})

it('serves a segment from memory, where it was verified, whatever happens to its file', async () => {
  const { segment } = await makePlayable(ctx)
  const before = await (await fetch(base + segment)).text()
  await flip(segment.replace('/cdn/', ''))
  const response = await fetch(base + segment)
  expect([response.status, await response.text()]).toEqual([200, before])
  renew('segmentCache', 'verifiedObjects')
  expect((await fetch(base + segment)).status).toBe(503)
})

it('refuses damaged pictures and captions', async () => {
  const { id, granted } = await makePlayable(ctx)
  const body = Buffer.from(`WEBVTT\n\n00:00.000 --> 00:01.000\n${'Hello '.repeat(10)}\n`)
  const name = contentName(body)
  await db().caption.create({ data: { videoId: id, name, cues: 1, bytes: body.length, language: 'en', label: 'English' } })
  await storage().put(extraKey(id, name), body)
  const { poster } = await db().video.findUniqueOrThrow({ where: { id } })
  const addresses = [granted[3] as string, (granted[0] as string).replace('master.m3u8', 'captions-en.vtt')]
  const statuses = async () => Promise.all(addresses.map(async (address) => (await fetch(base + address)).status))
  await vi.waitFor(async () => expect(await statuses()).toEqual([200, 200]))
  await flip(`pictures/${id}/${poster}`)
  await flip(extraKey(id, name))
  renew('verifiedObjects', 'captionTexts')
  expect(await statuses()).toEqual([503, 503])
  await vi.waitFor(async () => expect(await faults(id)).toHaveLength(2))
})
