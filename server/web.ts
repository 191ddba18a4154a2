import { join } from 'node:path'
import next from 'next'
import { closeHttpServer, makeHttpServer } from './http.ts'
import { env } from './infra/env.ts'
import { meter } from './key/meter.ts'

/** Serves everything on PORT. Returns how to stop. */
export async function startWeb({ dev }: { dev: boolean }): Promise<() => Promise<void>> {
  const { PORT, HOST } = env()
  const pages = next({ dev, dir: join(import.meta.dirname, '..'), port: PORT, hostname: HOST ?? 'localhost' })
  await pages.prepare()
  const others = pages.getRequestHandler()
  const server = await makeHttpServer((req, res) => void others(req, res))
  if (dev) server.on('upgrade', pages.getUpgradeHandler())
  meter().start()
  await new Promise<void>((resolve, reject) => {
    server.on('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === 'EADDRINUSE' ? new Error(`Port ${PORT} is taken. Set PORT to another, or stop what uses it.`) : error)
    })
    server.listen(PORT, HOST, resolve)
  })
  return async () => {
    await closeHttpServer(server, 3_000)
    await meter().stop()
    await pages.close()
  }
}
