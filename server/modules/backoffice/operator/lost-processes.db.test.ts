import { hostname } from 'node:os'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { db } from '../../../platform/database/database.ts'
import { ProcessRegistry, SILENT_SEC } from '../../../platform/process-registry.ts'
import { testDatabase } from '../../../testing/database.ts'
import { readProcesses } from './process-status.ts'

await testDatabase()

const HOUR_SEC = 3_600
const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000)
const listed = async () => (await readProcesses()).map(({ id, isSilent }) => [id, isSilent])

let registry: ProcessRegistry
beforeEach(async () => {
  await db().process.deleteMany()
  registry = new ProcessRegistry()
})
afterEach(() => registry.leave())

/** Stores a process whose last heartbeat was that many seconds ago. */
const lost = (id: string, silentSec: number, host: string, roles = ['worker']) =>
  db().process.create({ data: { id, host, pid: 1, roles, version: '0.1.0', startedAt: ago(silentSec + 60), heartbeatAt: ago(silentSec) } })

/** Beats twice: a successor counts once its row is stored. */
async function beatTwice(roles: string[]): Promise<void> {
  await registry.join(roles)
  await registry.join(roles)
}

it('lists a process whose machine was lost for a day', async () => {
  await lost('prc_recent', SILENT_SEC + 1, 'aa-other')
  await lost('prc_hours', 23 * HOUR_SEC, 'ab-other')
  await lost('prc_old', 24 * HOUR_SEC + 1, 'ac-other')
  await beatTwice(['web', 'worker'])
  expect(await listed()).toEqual([
    ['prc_recent', true],
    ['prc_hours', true],
    [registry.id, false],
  ])
})

it('removes a dead process that one of the same machine and role succeeded', async () => {
  await lost('prc_worker', SILENT_SEC + 1, hostname())
  await lost('prc_web', SILENT_SEC + 1, hostname(), ['web'])
  await beatTwice(['worker'])
  expect((await listed()).map(([id]) => id).toSorted()).toEqual([registry.id, 'prc_web'].toSorted())
})

it('lists a process that stopped sending heartbeats after the other processes of its machine had started', async () => {
  await registry.join(['worker'])
  await db().process.update({ where: { id: registry.id }, data: { startedAt: ago(2 * HOUR_SEC) } })
  await lost('prc_second', HOUR_SEC, hostname())
  await registry.join(['worker'])
  expect((await listed()).toSorted()).toEqual(
    [
      [registry.id, false],
      ['prc_second', true],
    ].toSorted(),
  )
})

it('removes a process that stops', async () => {
  await registry.join(['web'])
  expect(await listed()).toEqual([[registry.id, false]])
  await registry.leave()
  expect(await listed()).toEqual([])
})
