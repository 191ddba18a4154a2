import { connect } from 'node:net'

const CHUNK = 1 << 20

/**
 * Returns the megabytes per second that a server sends: the files at `paths`, one after another on each connection. Reads into one buffer
 * and parses only a response's head, since a client that parses bodies is slower than any file server. Throws at any status but 200.
 */
export async function megabytesPerSecond(
  base: string,
  paths: readonly string[],
  { seconds = 3, connections = 16 }: { seconds?: number; connections?: number } = {},
): Promise<number> {
  const { hostname, port } = new URL(base)
  let bytes = 0
  const began = performance.now()
  const until = began + seconds * 1_000
  await Promise.all(Array.from({ length: connections }, (_, at) => reader(at)))
  return bytes / 1e6 / ((performance.now() - began) / 1_000)

  function reader(first: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    let next = first
    /** Bytes of the response that are still to be read; undefined before its head. */
    let left: number | undefined
    const ask = () => socket.write(`GET ${paths[next++ % paths.length]} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n\r\n`)
    const take = (size: number, memory: Uint8Array): boolean => {
      if (left === undefined) {
        const head = Buffer.from(memory.buffer, memory.byteOffset, Math.min(size, 8_192)).toString('latin1')
        const body = head.indexOf('\r\n\r\n') + 4
        const length = /\r\ncontent-length: (\d+)\r\n/i.exec(head)?.[1]
        if (!head.startsWith('HTTP/1.1 200 ') || body < 4 || !length) {
          socket.destroy(new Error(`Received ${head.slice(0, 200)}`))
          return false
        }
        left = Number(length) + body
      }
      left -= size
      bytes += size
      if (left > 0) return true
      left = undefined
      if (performance.now() < until) ask()
      else socket.end()
      return true
    }
    const socket = connect({ host: hostname, port: Number(port), onread: { buffer: new Uint8Array(CHUNK), callback: take } })
    socket.on('connect', ask).on('error', reject).on('close', resolve)
    return promise
  }
}
