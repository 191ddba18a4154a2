import { flushCompileCache } from 'node:module'
import type { AddressInfo } from 'node:net'
import { closeHttpServer, makeHttpServer } from '../../http/http-server.ts'
import { keyStops } from '../../modules/access/keys/stop-reports.ts'
import { trafficCollector } from '../../modules/analytics/requests/collector.ts'
import { closeDb } from '../../platform/database/database.ts'
import { notifications } from '../../platform/database/notifications.ts'
import { processRegistry } from '../../platform/process-registry.ts'
import { buildContainer } from '../../services.ts'
import { billingWork } from '../billing/billing-work.ts'
import { useQuota, type WrongQuota } from '../wrong-quotas.ts'

/**
 * The program behind `startWebProcess()`: the real HTTP server without the pages, in its own process. Its settings are the first argument,
 * changes to the HTTP server's limits the second; a message replaces the quota with a wrong one; SIGTERM stops it like the service.
 */
buildContainer(JSON.parse(process.argv[2] as string))
await notifications().start()
await processRegistry().join(['web'])
keyStops().start()
const server = await makeHttpServer((req, res) => void billingWork(req, res))
Object.assign(server, JSON.parse(process.argv[3] as string))
trafficCollector().start()
server.listen(0, '127.0.0.1', () => process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
// Node writes compiled code when a process exits, which a killed one does not.
flushCompileCache()

process.on('message', (name: WrongQuota | 'exact') => {
  useQuota(name)
  process.send?.('done')
})
// The test ended, or was ended, without stopping this process.
process.on('disconnect', () => process.exit(1))
process.once('SIGTERM', async () => {
  await closeHttpServer(server, 3_000)
  await trafficCollector().stop()
  keyStops().stop()
  await processRegistry().leave()
  await notifications().stop()
  await closeDb()
  process.exit(0)
})
