import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { AccountCtx } from '../context.ts'
import { storageOf } from '../modules/identity/accounts/storage.ts'
import { db, query } from '../platform/database/database.ts'
import { storage } from '../platform/storage/storage.ts'
import { testDatabase } from '../testing/database.ts'
import { makeAccount } from '../testing/make.ts'
import { atFileEnd } from '../testing/media/file-end.ts'
import { hasSwift, type Swift, startSwift } from '../testing/services/swift.ts'
import { startWebProcess, type WebProcess } from '../testing/services/web-process.ts'
import { provide, renew } from '../testing/settings.ts'
import { cookieFor } from '../testing/sign-in.ts'
import { likeVideo, sha256, tusClient } from '../testing/tus-client.ts'

await testDatabase()
const MB = 1024 ** 2

describe.skipIf(!hasSwift())('machines with a DATA_DIR each and one object store', () => {
  let swift: Swift
  let location: string
  let machines: [WebProcess, WebProcess]
  let owner: AccountCtx
  let client: ReturnType<typeof tusClient>

  async function startMachine(): Promise<WebProcess> {
    const folder = mkdtempSync(join(tmpdir(), 'reelgate-machine-'))
    atFileEnd(() => rmSync(folder, { recursive: true, force: true }))
    const settings = { DATA_DIR: folder, STORAGE_URL: location, STORAGE_RESERVE_BYTES: '0' }
    return startWebProcess({ settings, environment: swift.credentials })
  }

  beforeAll(async () => {
    swift = await startSwift()
    for (const [name, value] of Object.entries(swift.credentials)) vi.stubEnv(name, value)
    location = await swift.makeBucket()
    provide({ STORAGE_URL: location })
    renew('storage')
    machines = await Promise.all([startMachine(), startMachine()])
  })
  afterAll(() => swift?.stop())
  beforeEach(async () => {
    owner = await makeAccount()
    client = tusClient(await cookieFor(owner))
  })

  const begin = async (machine: WebProcess, size: number) => {
    const created = await client.create(machine.url, size)
    expect(created.status).toBe(201)
    return created.headers.get('location') ?? ''
  }
  const offsetAt = async (machine: WebProcess, path: string) => {
    const asked = await client.head(machine.url, path)
    expect(asked.status).toBe(200)
    return Number(asked.headers.get('upload-offset'))
  }
  /** Bytes that the database counts as received. */
  const recorded = async () => {
    const sum = `SELECT coalesce(sum(bytes), 0)::int AS bytes FROM multipart_part JOIN multipart_upload u ON u.id = upload_id WHERE account_id = $1`
    return (await query<{ bytes: number }>('test-recorded', sum, [owner.accountId]))[0]?.bytes ?? 0
  }
  const expectStored = async (videoId: string | undefined, body: Buffer) => {
    const video = await db().media.findUniqueOrThrow({ where: { id: videoId ?? '' } })
    expect([video.status, Number(video.sourceBytes)]).toEqual(['PENDING', body.length])
    expect(await sha256(storage().read(video.sourceKey))).toBe(await sha256([body]))
    expect(await storageOf(owner.accountId)).toMatchObject({ uploads: 0, unfinishedBytes: 0, videos: 1, originalBytes: body.length })
  }

  it('an upload that is cut at half on one machine continues on the other, byte for byte', async () => {
    const [first, second] = machines
    const body = likeVideo(21 * MB)
    const path = await begin(first, body.length)
    const half = Math.floor(body.length / 2)
    const sending = client.send(first.url, path, body, 0, { until: half })
    // The bytes have left this process; the machine has none of them stored before the cut.
    await vi.waitFor(async () => expect(await leaseOf(path)).not.toBeNull())
    sending.cut()
    await sending.answer
    const offset = await offsetAt(second, path)
    expect(offset).toBeGreaterThan(0)
    expect(offset).toBeLessThanOrEqual(half)
    const last = await client.send(second.url, path, body, offset).answer
    expect(last).toMatchObject({ status: 204, offset: body.length })
    await expectStored(last?.videoId, body)
    const asked = await client.head(first.url, path)
    expect([asked.status, asked.headers.get('x-video-id')]).toEqual([200, last?.videoId])
  })

  const leaseOf = async (path: string) =>
    (await db().multipartUpload.findUniqueOrThrow({ where: { id: path.split('/').at(-1) ?? '' } })).leaseId

  it('an upload whose machine is killed during a request continues on the other, and nothing acknowledged is lost', async () => {
    const [second] = machines
    const killed = await startMachine()
    const body = likeVideo(30 * MB)
    const path = await begin(killed, body.length)
    const acknowledged = 6 * MB
    expect(await client.send(killed.url, path, body.subarray(0, acknowledged), 0).answer).toMatchObject({
      status: 204,
      offset: acknowledged,
    })
    const sending = client.send(killed.url, path, body, acknowledged, { until: 28 * MB })
    await vi.waitFor(async () => expect(await recorded()).toBeGreaterThan(acknowledged))
    await killed.kill()
    await sending.answer
    const offset = await offsetAt(second, path)
    expect(offset).toBe(await recorded())
    const last = await client.send(second.url, path, body, offset).answer
    expect(last).toMatchObject({ status: 204, offset: body.length })
    await expectStored(last?.videoId, body)
  })

  it('requests for one upload at both machines at once are serialized', async () => {
    const body = likeVideo(12 * MB)
    const path = await begin(machines[0], body.length)
    const answers = await Promise.all(machines.map((machine) => client.send(machine.url, path, body, 0).answer))
    const complete = answers.filter((answer) => answer?.status === 204 && answer.offset === body.length)
    expect(complete).toHaveLength(1)
    // The other one came too late, for these bytes or for the upload.
    expect(answers.map((answer) => answer?.status).sort()).toSatisfy(
      ([one, other]: number[]) => one === 204 && [404, 409].includes(other ?? 0),
    )
    await expectStored(complete[0]?.videoId, body)
  })
})
