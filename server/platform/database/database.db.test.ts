import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import pg from 'pg'
import { expect, test } from 'vitest'
import { testDatabase } from '../../testing/database.ts'
import { provide } from '../../testing/settings.ts'
import { env } from '../config/config.ts'
import { db, makeVitalPool, pool, probe, transaction, vital } from './database.ts'
import { checkPooler } from './pooler.ts'

await testDatabase()

test('every pool uses UTC, and a time that Prisma writes is the one that SQL reads, in a database of another zone', async () => {
  const at = new Date('2026-07-01T12:00:00.123Z')
  const { id } = await db().account.create({ data: { id: 'acc_zone', name: 'Owner', createdAt: at } })
  const outside = new pg.Client({ connectionString: env().DATABASE_URL })
  await outside.connect()
  const { rows } = await outside.query(`SELECT created_at = $2 AS same, current_setting('TimeZone') AS zone FROM account WHERE id = $1`, [
    id,
    at.toISOString(),
  ])
  await outside.end()
  expect(rows).toEqual([{ same: true, zone: 'America/St_Johns' }])
  expect((await db().account.findUniqueOrThrow({ where: { id } })).createdAt).toEqual(at)
  for (const one of [vital(), probe()]) {
    const read = await one.query(`SELECT current_setting('TimeZone') AS zone, current_setting('DateStyle') AS style`)
    expect(read.rows).toEqual([{ zone: 'UTC', style: expect.stringMatching(/^ISO/) }])
  }
})

test('sessions do not depend on what the role or the database sets', async () => {
  const foreign = { default_transaction_isolation: 'serializable', standard_conforming_strings: 'off', search_path: 'elsewhere, public' }
  const outside = new pg.Client({ connectionString: env().DATABASE_URL })
  await outside.connect()
  const name = outside.escapeIdentifier(outside.database as string)
  await outside.query('CREATE SCHEMA elsewhere')
  for (const [setting, value] of Object.entries(foreign)) await outside.query(`ALTER DATABASE ${name} SET ${setting} TO ${value}`)
  const made = makeVitalPool()
  try {
    const { rows } = await made.query(
      `SELECT current_setting('transaction_isolation') AS isolation, current_schema() AS schema, '\\d' AS backslash`,
    )
    expect(rows).toEqual([{ isolation: 'read committed', schema: 'public', backslash: '\\d' }])
    // With an address that bypasses a pooler, such settings cannot be overridden.
    await expect(checkPooler(env().DATABASE_URL as string, env().DATABASE_URL)).rejects.toThrow('sets default_transaction_isolation')
    await outside.query(`ALTER DATABASE ${name} RESET default_transaction_isolation`)
    await expect(checkPooler(env().DATABASE_URL as string, env().DATABASE_URL)).rejects.toThrow('sets search_path')
  } finally {
    for (const setting of Object.keys(foreign)) await outside.query(`ALTER DATABASE ${name} RESET ${setting}`)
    await Promise.all([made.end(), outside.end()])
  }
  expect(await checkPooler(env().DATABASE_URL as string, env().DATABASE_URL)).toBe(false)
})

test('transaction: rejects when its connection is lost, also between statements, and keeps the process and the pool alive', async () => {
  const lost = transaction(async (connection) => {
    const { rows } = await connection.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    const ended = new Promise<void>((resolve) => (connection as unknown as NodeJS.EventEmitter).once('end', resolve))
    await pool().query('SELECT pg_terminate_backend($1)', [rows[0]?.pid])
    await ended
    await connection.query('SELECT 1')
  })
  await expect(lost).rejects.toThrow()
  expect((await pool().query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
})

/** The end of what the server sends when a connection is ready. */
const READY = Buffer.from('Z\0\0\0\x05I', 'latin1')

test('transaction: a connection whose loss arrives together with its readiness rejects, and the process stays alive', async () => {
  const database = new URL(env().DATABASE_URL as string)
  let terminated: Promise<unknown> | undefined
  // Holds back that a connection is ready, until the server has ended it as well.
  const proxy = createServer((client) => {
    const server = connect(Number(database.port), database.hostname)
    client.on('error', () => {}).pipe(server.on('error', () => {}))
    let held = Buffer.alloc(0)
    server.on('data', (bytes) => {
      if (held.length === 0 && bytes.indexOf(READY) < 0) return void client.write(bytes)
      const isFirst = held.length === 0
      held = Buffer.concat([held, bytes])
      if (held.includes('57P01')) client.end(held)
      else if (isFirst) terminated = pool().query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'lost'")
    })
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const through = new URL(database)
  through.port = String((proxy.address() as AddressInfo).port)
  through.searchParams.set('application_name', 'lost')
  provide({ DATABASE_URL: String(through) })
  const lossy = makeVitalPool()
  try {
    // Nothing listens to the connection until the next microtask.
    const connection = await lossy.connect()
    await expect(connection.query('SELECT 1')).rejects.toThrow()
    connection.release(true)
  } finally {
    await terminated
    await lossy.end()
    proxy.close()
  }
})
