import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import next from 'next'
import { closeHttpServer, makeHttpServer } from './http.ts'
import { env } from './infra/env.ts'
import { meter } from './key/meter.ts'
import { endWatches } from './video/watch.ts'

/** Serves everything on PORT. Returns how to stop. */
export async function startWeb({ dev }: { dev: boolean }): Promise<() => Promise<void>> {
  const { PORT, HOST } = env()
  const pages = next({ dev, dir: join(import.meta.dirname, '..'), port: PORT, hostname: HOST ?? 'localhost' })
  await pages.prepare()
  const others = pages.getRequestHandler()
  const server = await makeHttpServer((req, res) => {
    nameClient(req)
    void others(req, res)
  })
  if (dev) server.on('upgrade', pages.getUpgradeHandler())
  meter().start()
  await new Promise<void>((resolve, reject) => {
    server.on('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === 'EADDRINUSE' ? new Error(`Port ${PORT} is taken. Set PORT to another, or stop what uses it.`) : error)
    })
    server.listen(PORT, HOST, resolve)
  })
  return async () => {
    // Open pages hold an event stream each; they come back by themselves.
    endWatches()
    await closeHttpServer(server, 3_000)
    await meter().stop()
    await pages.close()
  }
}

const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-port', 'x-forwarded-proto']

/** Next takes these headers from anybody. Without a proxy that we were told of, the address is the connection's own. */
function nameClient({ headers, socket }: IncomingMessage): void {
  if (env().TRUST_PROXY) return
  for (const name of FORWARDED) delete headers[name]
  headers['x-forwarded-for'] = socket.remoteAddress
}
