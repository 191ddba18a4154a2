import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, vi } from 'vitest'
import { closeHttpServer, listen, makeHttpServer } from '../http/http-server.ts'
import { trafficCollector } from '../modules/analytics/requests/collector.ts'
import { services } from '../platform/container.ts'
import { endLongAnswers } from '../platform/turns/long-answers.ts'
import { atFileEnd } from './media/file-end.ts'
import { provide } from './settings.ts'

/** Starts the real HTTP server without the pages, on a free port until the test file ends. Call after `testDatabase()`. */
export async function startHttpServer(): Promise<string> {
  const server = await makeHttpServer((_req, res) => res.writeHead(404).end())
  await once(listen(server, 0, '127.0.0.1'), 'listening')
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  provide({ BASE_URL: baseUrl })
  atFileEnd(async () => {
    // Requests waiting for events would continue in the next file, even after their clients have left.
    endLongAnswers()
    await vi.waitFor(() => expect(Object.values(services().longAnswers).map((turns) => turns.load().running)).toEqual([0, 0, 0, 0]))
    await closeHttpServer(server, 500)
    await trafficCollector().stop()
  })
  return baseUrl
}
