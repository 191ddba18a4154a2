import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect, it, vi } from 'vitest'
import { beginRestore } from './platform/backup/unfinished-restore.ts'
import { freePort } from './platform/config/free-port.ts'
import { withEmptyDatabase } from './testing/prove-backup.ts'
import { databasePid, databaseUrl, dataFolder, type Service, startService, waitUntilExited } from './testing/services/whole-service.ts'

const READY = /Reelgate is ready/
/** Starts everything except the pages, which need a build. */
const worker = (dataDir: string, settings = {}) => startService(dataDir, { ROLES: 'worker', ...settings })

async function sql<Row extends pg.QueryResultRow>(dataDir: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: databaseUrl(dataDir) })
  client.on('error', () => {})
  await client.connect()
  const { rows } = await client.query<Row>(text)
  await client.end()
  return rows
}

describe('stopping and starting', () => {
  const data = dataFolder()
  /** The service that runs between the tests of this group, each of which begins where the previous one ends. */
  let running: Service

  it('stops everything that it started on Ctrl-C', async () => {
    const ADMIN_PORT = String(await freePort())
    running = worker(data, { ADMIN_PORT, TZ: 'Asia/Kolkata' })
    await running.says(READY)
    const atAdminPort = async (path: string) => (await fetch(`http://127.0.0.1:${ADMIN_PORT}${path}`)).text()
    expect(await atAdminPort('/readyz')).toContain('"status":"ok"')
    expect(await atAdminPort('/metrics')).toMatch(/^reelgate_processes\{role_name="worker"\} 1$/m)
    await sql(data, "CREATE TABLE kept AS SELECT 'it' AS what")
    expect(await sql(data, 'SHOW timezone')).toEqual([{ TimeZone: 'UTC' }])
    const database = databasePid(data) as number
    running.signal('SIGINT')
    expect(await running.ended).toBe(0)
    await waitUntilExited(database)
    // A starved machine may warn of a late heartbeat while it runs.
    expect(running.said().split('Stopping…')[1]).not.toMatch(/error|warn/)
  })

  it('does not start under another root secret', async () => {
    const service = worker(data, { REELGATE_SECRET: 'a root secret that this data was not written with' })
    expect(await service.ended).toBe(1)
    expect(service.said()).toMatch(/could not start: REELGATE_SECRET .* is not the secret that the data in this database was written with/)
  })

  it('does not start on a database into which a restore did not finish', async () => {
    await withEmptyDatabase(async (url) => {
      await beginRestore(url, 'bkp_1')
      const service = worker(dataFolder(), { DATABASE_URL: url })
      expect(await service.ended).toBe(1)
      expect(service.said()).toContain(
        'could not start: a restore into this database did not finish. Run npm run operator -- restore-backup',
      )
    })
  })

  it('ignores a pid that another program has reused, and starts with all the data', async () => {
    const file = join(data, 'postgres/postmaster.pid')
    writeFileSync(file, `${process.pid}\n${join(data, 'postgres')}\n0\n1\n\n127.0.0.1\n\nready   \n`)
    running = worker(data, { REELGATE_TEST_BALLAST_BYTES: '4000000' })
    await running.says(READY)
    expect(await sql(data, 'SELECT what FROM kept')).toEqual([{ what: 'it' }])
  })

  it('keeps a ballast for the embedded database, also while it is stopped', async () => {
    const kept = () => statSync(join(data, 'ballast'), { throwIfNoEntry: false })?.size
    await vi.waitFor(() => expect(kept()).toBe(4_000_000))
    running.signal('SIGTERM')
    expect(await running.ended).toBe(0)
    expect(kept()).toBe(4_000_000)
  })

  it('exits with a message when another process owns the data, which keeps running', async () => {
    running = worker(data)
    await running.says(READY)
    const second = worker(data)
    expect(await second.ended).toBe(1)
    expect(second.said()).toContain(`Another Reelgate is already running on ${data}`)
    expect(await sql(data, 'SELECT what FROM kept')).toHaveLength(1)
  })

  it('takes over the database of a killed process, and recovers one that was killed with it', async () => {
    const database = databasePid(data) as number
    running.signal('SIGKILL')
    await running.ended
    running = worker(data)
    await running.says(/attached to the running server[\s\S]*Reelgate is ready/)
    expect(databasePid(data)).toBe(database)
    running.signal('SIGKILL')
    process.kill(database, 'SIGKILL')
    await running.ended

    running = worker(data)
    await running.says(READY)
    expect(await sql(data, 'SELECT what FROM kept')).toHaveLength(1)
  })

  it('restarts a database that ended, at the same address', async () => {
    const before = { pid: databasePid(data) as number, url: databaseUrl(data) }
    process.kill(before.pid, 'SIGKILL')
    await running.says(/it is running again/)
    expect(databaseUrl(data)).toBe(before.url)
    expect(await sql(data, 'SELECT what FROM kept')).toHaveLength(1)
    const after = databasePid(data) as number
    running.signal('SIGINT')
    expect(await running.ended).toBe(0)
    await waitUntilExited(after)
  })
})

describe('interrupted during its first start', () => {
  for (const [signal, code] of [
    ['SIGINT', 0],
    ['SIGKILL', 'SIGKILL'],
  ] as const) {
    it(`leaves nothing after ${signal} that prevents the next start`, { tags: ['deep'] }, async () => {
      const data = dataFolder()
      const first = worker(data)
      await vi.waitFor(() => expect(readdirSync(data).some((name) => name.startsWith('postgres.new-'))).toBe(true), {
        interval: 5,
      })
      first.signal(signal)
      expect(await first.ended).toBe(code)
      expect(databasePid(data)).toBeUndefined()
      const second = worker(data)
      await second.says(READY)
      expect(readdirSync(data).filter((name) => name.startsWith('postgres.new'))).toEqual([])
      second.signal('SIGINT')
      expect(await second.ended).toBe(0)
    })
  }
})

describe('with invalid settings or a missing resource', () => {
  const data = dataFolder()

  it('names every invalid setting, and no value', async () => {
    const service = worker(data, { ROLES: 'wep', BACKUP_KEEP: 'soon', REELGATE_SECRET: 'short' })
    expect(await service.ended).toBe(1)
    for (const name of ['ROLES', 'BACKUP_KEEP', 'REELGATE_SECRET']) expect(service.said()).toContain(name)
    expect(service.said()).not.toMatch(/short|soon|wep/)
  })

  it('reports why a data folder cannot be used', async () => {
    const file = join(data, 'file')
    writeFileSync(file, '')
    for (const place of [file, join(file, 'below')]) {
      const service = worker(place)
      expect(await service.ended).toBe(1)
      expect(service.said()).toContain(`DATA_DIR ${place} cannot be used: a file exists at this path`)
    }
  })

  it('reports that the database refuses the connection, and starts no embedded one', async () => {
    const service = worker(data, { DATABASE_URL: 'postgres://unknown@127.0.0.1:1/none', REELGATE_TEST_DATABASE_WAIT_SEC: '0' })
    expect(await service.ended).toBe(1)
    expect(service.said()).toMatch(/could not start: cannot connect to the database \(.*ECONNREFUSED/)
    expect(readdirSync(data)).toEqual(['file'])
  })

  it('waits for a database that refuses connections, until SIGTERM', async () => {
    const service = worker(data, { DATABASE_URL: 'postgres://unknown@127.0.0.1:1/none' })
    await service.says(/ECONNREFUSED.*waiting up to 60 s for a database that accepts changes/)
    service.signal('SIGTERM')
    expect(await service.ended).toBe(0)
    expect(service.said()).not.toContain('could not start')
  })

  it('starts once a read-only database accepts changes', { tags: ['deep'] }, async () => {
    await withEmptyDatabase(async (url) => {
      const admin = new pg.Client({ connectionString: process.env.REELGATE_TEST_SERVER as string })
      await admin.connect()
      const name = pg.escapeIdentifier(new URL(url).pathname.slice(1))
      await admin.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`)
      const service = worker(dataFolder(), { DATABASE_URL: url })
      await service.says(/accepts no changes.*waiting up to 60 s/)
      await admin.query(`ALTER DATABASE ${name} RESET default_transaction_read_only`)
      await admin.end()
      await service.says(READY)
      service.signal('SIGINT')
      expect(await service.ended).toBe(0)
    })
  })

  it('reports a refused password at once', async () => {
    const url = new URL(process.env.REELGATE_TEST_SERVER as string)
    url.password = 'wrong'
    const service = worker(data, { DATABASE_URL: url.href })
    expect(await service.ended).toBe(1)
    expect(service.said()).toMatch(/could not start: cannot connect to the database \(.*password authentication failed/)
    expect(service.said()).not.toContain('waiting')
  })

  it('works without ffmpeg, and reports that videos wait', { tags: ['deep'] }, async () => {
    const service = worker(data, { FFMPEG_PATH: join(data, 'no-ffmpeg') })
    await service.says(READY)
    expect(service.said()).toMatch(/cannot transcode; uploaded videos stay queued: .*no-ffmpeg cannot be run/)
    service.signal('SIGINT')
    expect(await service.ended).toBe(0)
  })
})
