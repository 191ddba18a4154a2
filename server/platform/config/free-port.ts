import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Below the ports that systems give to outgoing connections, which could otherwise take one before the caller listens. */
const [FIRST, END] = [20_000, 32_000]
const ATTEMPTS = 100

/** Finds a TCP port that is currently free on every local address. Another process may take it before the caller does. */
export async function freePort(): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    const port = randomInt(FIRST, END)
    const error = await tryPort(port)
    if (!error) return port
    if (attempt === ATTEMPTS) throw error
  }
}

/** Listens on a port for a moment. Returns the error that prevented it. */
function tryPort(port: number): Promise<Error | undefined> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.on('error', resolve)
    probe.listen(port, () => probe.close(() => resolve(undefined)))
  })
}
