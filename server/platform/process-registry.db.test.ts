import { afterEach, beforeEach, expect, it, type MockInstance, vi } from 'vitest'
import { testDatabase } from '../testing/database.ts'
import { startHttpServer } from '../testing/http-server.ts'
import { db } from './database.ts'
import { encodeCores } from './encode-cores.ts'
import { ProcessRegistry, requestLoad, SILENT_SEC } from './process-registry.ts'

await testDatabase()

let registry: ProcessRegistry
let report: MockInstance<ReturnType<typeof encodeCores>['report']>
let clock: MockInstance<() => number>
beforeEach(async () => {
  await db().process.deleteMany()
  requestLoad().received = 0
  clock = vi.spyOn(performance, 'now').mockReturnValue(0)
  report = vi.spyOn(encodeCores(), 'report').mockReturnValue()
  registry = new ProcessRegistry()
})
afterEach(async () => {
  vi.restoreAllMocks()
  await registry.leave()
})

/** Stores what a heartbeat reports, and returns the row. */
async function beat(roles: string[], atMs: number) {
  clock.mockReturnValue(atMs)
  await registry.join(roles)
  return db().process.findUniqueOrThrow({ where: { id: registry.id } })
}

it('counts each request, and stores those of a second', async () => {
  const url = await startHttpServer()
  await fetch(`${url}/healthz`)
  await fetch(`${url}/v1/video/unknown`)
  expect(requestLoad().received).toBe(2)

  requestLoad().received = 150
  expect(await beat(['web'], 0)).toMatchObject({ requestsPerSec: 0 })
  expect(await beat(['web'], 5_000)).toMatchObject({ requestsPerSec: 30 })
  requestLoad().received = 160
  // A change of the media storage takes two heartbeats at once.
  expect(await beat(['web'], 5_001)).toMatchObject({ requestsPerSec: 30 })
  expect(await beat(['web'], 10_000)).toMatchObject({ requestsPerSec: 2 })
  expect(report).not.toHaveBeenCalled()
})

it('reports the requests of all processes on its kernel to the encodes of a worker', async () => {
  const { machine } = await beat(['web', 'worker'], 0)
  expect(report.mock.lastCall).toEqual([0])
  const other = (id: string, values: object) =>
    db().process.create({ data: { id, host: `host-of-${id}`, pid: 1, roles: ['web'], version: '0.1.0', machine, ...values } })
  await other('prc_container', { requestsPerSec: 7 })
  await other('prc_elsewhere', { requestsPerSec: 100, machine: 'another' })
  await other('prc_silent', { requestsPerSec: 200, heartbeatAt: new Date(Date.now() - (SILENT_SEC + 1) * 1_000) })
  requestLoad().received = 20
  await beat(['web', 'worker'], 5_000)
  const ofOthers = process.platform === 'linux' ? 7 : 0
  expect(report.mock.lastCall).toEqual([4 + ofOthers])
  // Its own are not counted a second time, from its row.
  await beat(['web', 'worker'], 10_000)
  expect(report.mock.lastCall).toEqual([ofOthers])
})
