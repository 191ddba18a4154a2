import { spawnSync } from 'node:child_process'
import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { AccountCtx, AccountId } from './context.ts'
import { JOBS } from './jobs.ts'
import type { CreatedKey } from './modules/access/keys/create-key.ts'
import { revokeKey } from './modules/access/keys/end-key.ts'
import { changePassword } from './modules/identity/sign-in/password-change.ts'
import { signUp } from './modules/identity/sign-in/sign-up.ts'
import { closeDb, db } from './platform/database/database.ts'
import { migrate } from './platform/database/migrate.ts'
import { notifications } from './platform/database/notifications.ts'
import { Ballast } from './platform/files/ballast.ts'
import { freeBytes, uploadSpace } from './platform/files/disk-space.ts'
import { startQueue, stopQueue } from './platform/job-queue.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from './platform/postgres/embedded.ts'
import { SERVICE_ROLE } from './platform/postgres/roles.ts'
import { startHttpServer } from './testing/http-server.ts'
import { expectLoggedErrors } from './testing/logs.ts'
import { makeKey } from './testing/make.ts'
import { provide } from './testing/settings.ts'
import { cookieFor } from './testing/sign-in.ts'

expectLoggedErrors(/the volume of DATA_DIR is full/)

const MB = 1024 ** 2
/** Bytes that hold a new cluster of PostgreSQL, its write-ahead log and the ballast. */
const VOLUME = 400 * MB
const BALLAST = 128 * MB
const RESERVE = 64 * MB
const PASSWORD = 'correct horse battery staple'
const visitor = { address: '192.0.2.7' }

const volume = mkdtempSync(join(tmpdir(), 'reelgate-full-'))
/** Only a user with the right to mount can have a small volume. */
const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${VOLUME},mode=0755`, 'tmpfs', volume]).status === 0
afterAll(() => {
  if (mounted) spawnSync('umount', ['-l', volume])
  rmSync(volume, { recursive: true, force: true })
})

const filler = join(volume, 'of-another-program')

/** Writes until the volume is full, like a runaway log. */
function fillFromOutside(): void {
  const file = openSync(filler, 'a')
  const part = Buffer.alloc(MB, 1)
  try {
    for (let size = part.length; size > 0; ) {
      try {
        writeSync(file, part, 0, size)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
        // Fills the last bytes too.
        size = Math.floor(size / 2)
      }
    }
  } finally {
    closeSync(file)
  }
}

function makeRoom(bytes: number): void {
  const file = openSync(filler, 'r+')
  ftruncateSync(file, bytes)
  closeSync(file)
}

describe.runIf(mounted)('a volume that another program filled to the last byte', () => {
  let postgres: EmbeddedPostgres
  let ballast: Ballast
  let baseUrl: string
  let ctx: AccountCtx
  let key: CreatedKey
  let cookie: string
  let upload: string

  beforeAll(async () => {
    ballast = new Ballast({ dataDir: volume, size: BALLAST })
    await ballast.start()
    postgres = await startEmbeddedPostgres({ dataDir: volume, maxConnections: 40 })
    await migrate(postgres.ownerUrl, { service: SERVICE_ROLE })
    provide({
      // Vitest sets it to its own '/'; `startHttpServer()` replaces this one.
      BASE_URL: 'http://localhost',
      DATABASE_URL: postgres.url,
      DATA_DIR: volume,
      REELGATE_SECRET: 'a secret for tests, the same in each of their processes',
      LOG_LEVEL: 'error',
      STORAGE_RESERVE_BYTES: String(RESERVE),
    })
    await notifications().start()
    await startQueue(JOBS)
    baseUrl = await startHttpServer()
    const { userId, accountId } = await signUp(visitor, { email: 'ada@example.com', password: PASSWORD })
    ctx = {
      accountId: accountId as AccountId,
      actor: { kind: 'user', userId, email: 'ada@example.com', role: 'OWNER' },
      requestId: 'req_test',
    }
    key = await makeKey(ctx)
    cookie = await cookieFor(ctx)
    upload = (await create(4 * MB)).headers.get('location') ?? ''
    expect((await send(0, 2 * MB)).status).toBe(204)
    await vi.waitFor(() => expect(ballast.kept()).toBe(BALLAST))
  })

  afterAll(async () => {
    await stopQueue()
    await notifications().stop()
    await closeDb()
    await ballast.stop()
    await postgres.stop()
  })

  async function asSuperuser(sql: string): Promise<void> {
    const client = new pg.Client({ connectionString: postgres.superuserUrl })
    await client.connect()
    await client.query(sql).finally(() => client.end())
  }
  const tus = (method: string, path: string, headers: Record<string, string> = {}, body?: BodyInit) =>
    fetch(new URL(path, baseUrl), { method, headers: { 'Tus-Resumable': '1.0.0', Cookie: cookie, ...headers }, body })
  const create = (bytes: number) =>
    tus('POST', '/api/upload', { 'Upload-Length': String(bytes), 'Upload-Metadata': `title ${Buffer.from('Clip').toString('base64')}` })
  const matroska = Buffer.concat([Buffer.from('1a45dfa3', 'hex'), Buffer.alloc(4 * MB - 4, 1)])
  const send = (from: number, to: number) =>
    tus(
      'PATCH',
      upload,
      { 'Upload-Offset': String(from), 'Content-Type': 'application/offset+octet-stream' },
      new Uint8Array(matroska.subarray(from, to)),
    )
  const withKey = ({ value }: CreatedKey) => fetch(`${baseUrl}/v1/video`, { headers: { 'x-service-key': value } })

  it('permits key revocation, password changes and new accounts; refuses uploads, and /readyz reports why', async () => {
    fillFromOutside()
    // The database needs space for a new segment of its log (16 MB); without it PostgreSQL stops.
    await vi.waitFor(async () => expect(await freeBytes(volume)).toBeGreaterThan(16 * MB))
    await asSuperuser('SELECT pg_switch_wal()')

    const more = await makeKey(ctx, { name: 'Another' })
    await revokeKey(ctx, { keyId: key.id })
    await expect.poll(async () => (await withKey(key)).status).toBe(401)
    expect((await withKey(more)).status).toBe(200)
    await changePassword(ctx, visitor, { current: PASSWORD, password: `${PASSWORD} again` })
    // The change ended the session.
    cookie = await cookieFor(ctx)
    await signUp(visitor, { email: 'grace@example.com', password: PASSWORD })
    expect(await db().user.count()).toBe(2)
    expect(await db().auditEntry.count({ where: { action: 'key.revoke', subject: key.id } })).toBe(1)

    const refused = await create(1)
    expect([refused.status, await refused.text()]).toEqual([507, expect.stringMatching(/^The service is out of storage\./)])
    // Free space is measured every half second; the last measurement may be of before the volume was filled.
    await vi.waitFor(async () => expect(await uploadSpace().after(0)).toBeLessThan(RESERVE))
    expect((await send(2 * MB, 4 * MB)).status).toBe(507)
    const ready = await fetch(`${baseUrl}/readyz`)
    expect([ready.status, await ready.json()]).toEqual([
      200,
      expect.objectContaining({ status: 'degraded', checks: expect.objectContaining({ storage: 'low', database: 'answers' }) }),
    ])
  })

  it('gives space back in steps while it is filled repeatedly', async () => {
    while (ballast.kept() > 0) {
      const before = ballast.kept()
      fillFromOutside()
      await vi.waitFor(() => expect(ballast.kept()).toBeLessThan(before))
      await revokeKey(ctx, { keyId: (await makeKey(ctx)).id })
    }
  })

  it('resumes the refused upload once there is space again, regrows the ballast, and /readyz returns ok', async () => {
    makeRoom(0)
    await vi.waitFor(() => expect(ballast.kept()).toBe(BALLAST))
    const asked = await tus('HEAD', upload)
    expect(asked.headers.get('upload-offset')).toBe(String(2 * MB))
    const whole = await send(2 * MB, 4 * MB)
    expect([whole.status, whole.headers.get('x-video-id')]).toEqual([204, expect.stringMatching(/^vid_/)])
    await expect.poll(async () => (await (await fetch(`${baseUrl}/readyz`)).json()).status).toBe('ok')
  })
})
