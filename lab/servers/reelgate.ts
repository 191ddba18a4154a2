import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { AccountId } from '../../server/context.ts'
import { makeHttpServer } from '../../server/http/http-server.ts'
import { grant } from '../../server/modules/access/quotas/daily-quota.ts'
import { trafficCollector } from '../../server/modules/analytics/requests/collector.ts'
import { services } from '../../server/platform/container.ts'
import { notifications } from '../../server/platform/database/notifications.ts'
import { processRegistry } from '../../server/platform/process-registry.ts'
import { buildContainer } from '../../server/services.ts'
import { seedAccount } from '../seed.ts'

/** The real server, or one with a part replaced to measure the cost of that part. */
const options = JSON.parse(readFileSync(process.argv[2] as string, 'utf8')) as {
  env: Record<string, string>
  /** single: one statement per request. none: no database at all. */
  quota?: 'single' | 'none'
  /** Next's own route handling instead of the router. */
  next?: boolean
}

buildContainer(options.env)
await notifications().start()
await processRegistry().join(['web'])
trafficCollector().start()

if (options.quota === 'single') {
  services().quota = {
    async take(keyId: string, accountId: AccountId) {
      const result = await grant(keyId, accountId, 1)
      return result && { ...result, granted: true, remaining: result.left }
    },
  }
}
if (options.quota === 'none') {
  let issued = 0
  services().quota = {
    async take() {
      const now = Math.floor(Date.now() / 1000)
      return { granted: true, limit: 1_000, remaining: issued++, resetAt: now + 3_600, resetIn: 3_600, now }
    },
  }
}

const server = options.next ? createServer(await nextHandler()) : await makeHttpServer((_req, res) => res.writeHead(404).end())
server.listen(0, '127.0.0.1', () => process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }))

process.on('message', (question) => {
  if (question === 'cpu') return process.send?.({ cpu: process.cpuUsage() })
  if (question === 'tenant') return void seedAccount(1).then((seeded) => process.send?.(seeded))
  if (question === 'peak') return process.send?.({ peak: process.resourceUsage().maxRSS * 1024 })
  globalThis.gc?.()
  globalThis.gc?.()
  const { heapUsed, rss } = process.memoryUsage()
  process.send?.({ heap: heapUsed, rss })
})

async function nextHandler() {
  const { default: next } = await import('next')
  const pages = next({ dev: false, dir: join(import.meta.dirname, '../..') })
  await pages.prepare()
  return pages.getRequestHandler()
}
