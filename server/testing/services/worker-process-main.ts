import { flushCompileCache } from 'node:module'
import type { AddressInfo } from 'node:net'
import { makeHttpServer } from '../../http/http-server.ts'
import { JOBS } from '../../jobs.ts'
import { env } from '../../platform/config/config.ts'
import { notifications } from '../../platform/database/notifications.ts'
import { startQueue } from '../../platform/job-queue.ts'
import { processRegistry } from '../../platform/process-registry.ts'
import { buildContainer } from '../../services.ts'
import { startWorker } from '../../worker/worker.ts'

/**
 * The program behind `startWorkerProcess()`: a worker, or a server that accepts uploads, in its own process, which tests kill. Its settings are the
 * first argument.
 */
buildContainer(JSON.parse(process.argv[2] as string))
await notifications().start()
await startQueue(JOBS)
await processRegistry().join(env().ROLES)
if (env().ROLES.includes('worker')) await startWorker()
const server = await makeHttpServer((_req, res) => res.writeHead(404).end())
server.listen(0, '127.0.0.1', () => process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
// Node writes compiled code when a process exits, which a killed one does not.
flushCompileCache()
// The test ended, or was ended, without stopping this process.
process.on('disconnect', () => process.exit(1))
