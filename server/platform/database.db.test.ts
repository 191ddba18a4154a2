import { expect, test } from 'vitest'
import { testDatabase } from '../testing/database.ts'
import { pool, transaction } from './database.ts'

await testDatabase()

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
