import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import type { AccountCtx } from '../../context.ts'
import { JOBS } from '../../jobs.ts'
import { db } from '../../platform/database/database.ts'
import { startQueue, stopQueue } from '../../platform/job-queue.ts'
import { testDatabase } from '../../testing/database.ts'
import { startHttpServer } from '../../testing/http-server.ts'
import { makeAccount, makeVideo } from '../../testing/make.ts'
import { provide } from '../../testing/settings.ts'
import { cookieFor } from '../../testing/sign-in.ts'
import { storageUsage } from '../identity/accounts/storage.ts'

const { dataDir } = await testDatabase()
const MB = 1024 ** 2
let baseUrl: string

beforeAll(async () => {
  baseUrl = await startHttpServer()
  await startQueue(JOBS)
})
afterAll(stopQueue)

interface Uploader {
  ctx: AccountCtx
  create(bytes: number): Promise<{ status: number; text: string; location: string }>
  send(location: string, from: number, bytes: number): Promise<{ status: number; text: string }>
  offset(location: string): Promise<number>
}

async function uploader(): Promise<Uploader> {
  const ctx = await makeAccount()
  const cookie = await cookieFor(ctx)
  const tus = async (method: string, path: string, headers: Record<string, string>, body?: BodyInit) => {
    const response = await fetch(new URL(path, baseUrl), {
      method,
      headers: { 'Tus-Resumable': '1.0.0', Cookie: cookie, ...headers },
      body,
    })
    return { status: response.status, text: await response.text(), headers: response.headers }
  }
  const title = `title ${Buffer.from('Clip').toString('base64')}`
  return {
    ctx,
    async create(bytes) {
      const { status, text, headers } = await tus('POST', '/api/upload', { 'Upload-Length': String(bytes), 'Upload-Metadata': title })
      return { status, text, location: headers.get('location') ?? '' }
    },
    send: (location, from, bytes) =>
      tus('PATCH', location, { 'Upload-Offset': String(from), 'Content-Type': 'application/offset+octet-stream' }, new Uint8Array(bytes)),
    offset: async (location) => Number((await tus('HEAD', location, {})).headers.get('upload-offset')),
  }
}
const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status).sort()

describe('admission of one account that begins many uploads', () => {
  const settings = {
    ACCOUNT_STORAGE_BYTES: 100 * MB,
    ACCOUNT_VIDEOS: 12,
    TOTAL_STORAGE_BYTES: 400 * MB,
  }
  beforeAll(() => provide(Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, String(value)]))))

  it('reserves no more than its limit for concurrent requests, and a neighbour can still upload', async () => {
    const attacker = await uploader()
    const answers = await Promise.all(Array.from({ length: 20 }, () => attacker.create(9 * MB)))
    expect(statuses(answers)).toEqual([...Array(5).fill(201), ...Array(15).fill(429)])
    expect(answers.find(({ status }) => status === 429)?.text).toMatch(
      /^With this file, the unfinished uploads of this account would total 56\.6 MB, and the limit is 52\.4 MB\./,
    )
    expect(await storageUsage(attacker.ctx)).toMatchObject({ uploads: 5, unfinishedBytes: 45 * MB, totalBytes: 45 * MB })
    const neighbour = await uploader()
    expect((await neighbour.create(50 * MB)).status).toBe(201)
  })

  it('stores no more than its limit: of two concurrent requests for the last bytes one succeeds', async () => {
    const account = await uploader()
    await makeVideo(account.ctx, { sourceBytes: BigInt(80 * MB) })
    expect(statuses(await Promise.all([account.create(20 * MB), account.create(20 * MB)]))).toEqual([201, 429])
    const { status, text } = await account.create(1)
    expect([status, text]).toEqual([
      429,
      expect.stringMatching(/^With this file, the account would store 104\.9 MB, and its limit is 104\.9 MB\./),
    ])
  })

  it('counts unfinished uploads as videos', async () => {
    const account = await uploader()
    for (let made = 0; made < 10; made++) await makeVideo(account.ctx)
    expect(statuses(await Promise.all(Array.from({ length: 4 }, () => account.create(1))))).toEqual([201, 201, 429, 429])
    expect((await account.create(1)).text).toMatch(/^This account has 12 of 12 videos\./)
  })

  it('applies a raised limit of the account to the next upload', async () => {
    const account = await uploader()
    expect((await account.create(51 * MB)).status).toBe(429)
    const own = { accountId: account.ctx.accountId, name: 'unfinishedBytes', value: BigInt(60 * MB), reason: 'a test', setBy: 'usr_test' }
    await db().accountLimit.create({ data: own })
    expect((await account.create(51 * MB)).status).toBe(201)
  })

  it('of a full installation returns 507 without the usage of others', async () => {
    const accounts = await Promise.all(Array.from({ length: 4 }, uploader))
    const answers = await Promise.all(accounts.map((one) => one.create(49 * MB)))
    const refused = answers.filter(({ status }) => status === 507)
    expect(refused.length).toBeGreaterThan(0)
    expect(refused[0]?.text).toMatch(/^The service is out of storage\. [^\d]+$/)
    const { _sum } = await db().upload.aggregate({ _sum: { bytes: true } })
    expect(Number(_sum.bytes)).toBeLessThanOrEqual(200 * MB)
  })
})

const mounted: string[] = []
function mount(folder: string, size: string): boolean {
  const path = join(dataDir, folder)
  mkdirSync(path, { recursive: true })
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', path])
  if (status === 0) mounted.push(path)
  return status === 0
}
const unmount = () => {
  for (const path of mounted.splice(0)) spawnSync('umount', ['-l', path])
}
const canMount = mount('tried', '64k')
unmount()

describe.runIf(canMount)('admission on a small volume', () => {
  beforeAll(async () => {
    await db().upload.deleteMany()
    const unset = { ACCOUNT_STORAGE_BYTES: '', TOTAL_STORAGE_BYTES: '' }
    provide({ ...unset, STORAGE_RESERVE_BYTES: String(10 * MB) })
  })
  afterEach(async () => {
    await db().upload.deleteMany()
    unmount()
  })

  it('lets one account reserve a quarter of it, and leaves space for a neighbour, without any setting', async () => {
    mount('media', '80m')
    const [attacker, neighbour] = [await uploader(), await uploader()]
    expect(statuses(await Promise.all(Array.from({ length: 20 }, () => attacker.create(5 * MB))))).toEqual([
      ...Array(4).fill(201),
      ...Array(16).fill(429),
    ])
    expect((await neighbour.create(15 * MB)).status).toBe(201)
  })

  it('counts announced bytes that have not arrived as used, and received bytes once', async () => {
    mount('uploads', '30m')
    const [first, second] = [await uploader(), await uploader()]
    const { location } = await first.create(15 * MB)
    expect((await second.create(6 * MB)).status).toBe(507)
    expect((await first.send(location, 0, 14 * MB)).status).toBe(204)
    expect((await second.create(6 * MB)).status).toBe(507)
    expect((await second.create(4 * MB)).status).toBe(201)
  })

  it('refuses incoming bytes that would use the reserve, keeps those before, and lets the upload resume later', async () => {
    mount('uploads', '40m')
    const { create, send, offset } = await uploader()
    const { location } = await create(20 * MB)
    // Another file uses the space reserved for this upload.
    spawnSync('fallocate', ['-l', String(18 * MB), join(dataDir, 'uploads', 'in-the-way')])
    const refused = await send(location, 0, 20 * MB)
    expect([refused.status, refused.text]).toEqual([507, expect.stringMatching(/^The service is out of storage\. Uploaded data is kept/)])
    const kept = await offset(location)
    expect(kept).toBeGreaterThan(11 * MB)
    expect(kept).toBeLessThan(13 * MB)
    expect((await send(location, kept, MB)).status).toBe(507)
    spawnSync('rm', [join(dataDir, 'uploads', 'in-the-way')])
    const from = await offset(location)
    await vi.waitFor(async () => expect((await send(location, from, MB)).status).toBe(204))
  })
})
