import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

type Range = readonly [first: number, end: number]

/**
 * Below the ports that systems give to outgoing connections, which could otherwise take one before the caller listens. Embedded databases
 * have ports of their own, so that none takes one that was found for a server which starts next to it.
 */
const PORTS: Range = [20_000, 28_000]
export const DATABASE_PORTS: Range = [28_000, 32_000]
const ATTEMPTS = 100
const tried = new Set<number>()

/**
 * Finds a TCP port that is currently free on every local address, and returns none twice. Another process may take it before the caller
 * does.
 */
export async function freePort([first, end] = PORTS): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    const port = randomInt(first, end)
    const error = tried.has(port) ? new Error(`Port ${port} was tried before.`) : await tryPort(port)
    if (!error) return port
    if (attempt === ATTEMPTS) throw error
  }
}

/** Listens on a port for a moment. Returns the error that prevented it. */
function tryPort(port: number): Promise<Error | undefined> {
  tried.add(port)
  return new Promise((resolve) => {
    const probe = createServer()
    probe.on('error', resolve)
    probe.listen(port, () => probe.close(() => resolve(undefined)))
  })
}
