import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { Paced } from './paced.ts'

/** Sends the requests that its parent describes, and responds with their durations in milliseconds. */
process.on('message', async (paced: Paced) => {
  // Collects what earlier requests left now, not while requests are measured.
  globalThis.gc?.()
  process.send?.(await durations(paced))
})

/** Sends requests at fixed times, whenever the others end. Each counts until its whole response has arrived. */
async function durations({ url, headers, perSec, seconds }: Paced): Promise<number[]> {
  const { hostname, port, host, pathname } = new URL(url)
  const lines = [`GET ${pathname} HTTP/1.1`, `host: ${host}`, ...Object.entries(headers ?? {}).map(([name, value]) => `${name}: ${value}`)]
  const text = `${lines.join('\r\n')}\r\n\r\n`
  const all: Connection[] = []
  const open = () => {
    const connection = new Connection(
      connect({ host: hostname, port: Number(port), noDelay: true, onread: reading((bytes) => connection.read(bytes)) }),
    )
    all.push(connection)
    return connection
  }
  const times: number[] = []
  const request = async (sentAt: number) => {
    await (all.find((connection) => connection.isFree) ?? open()).send(text)
    times.push(performance.now() - sentAt)
  }
  const sent: Promise<void>[] = []
  const began = performance.now()
  for (let at = 0; at < seconds * perSec; at++) {
    const dueAt = began + (at * 1_000) / perSec
    const early = dueAt - performance.now()
    if (early > 0) await wait(early)
    // From here on, as timers of this process are early by up to 1 ms, or late.
    sent.push(request(performance.now()))
  }
  await Promise.all(sent)
  for (const connection of all) connection.close()
  return times
}

/**
 * One buffer for everything that a connection reads. With new ones for each segment, the garbage collector would take 8 to 30 ms at a time.
 */
const reading = (read: (bytes: Buffer) => void) => ({
  buffer: Buffer.alloc(65_536),
  callback(length: number, buffer: Uint8Array) {
    read(buffer.subarray(0, length) as Buffer)
    return true
  },
})

/** A connection that sends one request at a time. */
class Connection {
  private readonly socket: Socket
  private closed = false
  private head = ''
  private received = 0
  private expected: number | undefined
  private waiting: { resolve: () => void; reject: (error: Error) => void } | undefined

  constructor(socket: Socket) {
    this.socket = socket
    socket.on('error', (error) => this.waiting?.reject(error))
    socket.on('close', () => {
      this.closed = true
      this.waiting?.reject(new Error('The server closed the connection'))
    })
  }

  get isFree(): boolean {
    return !this.closed && !this.waiting
  }

  /** Resolves when the whole response has arrived. Errors: its status is not 200, or it does not state its length. */
  send(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject }
      this.socket.write(text)
    })
  }

  read(bytes: Buffer): void {
    this.received += bytes.length
    if (this.expected === undefined) {
      this.head += bytes.toString('latin1', 0, 4_096)
      const end = this.head.indexOf('\r\n\r\n')
      if (end < 0) return
      const length = /\r\ncontent-length: (\d+)\r\n/i.exec(this.head)?.[1]
      if (!this.head.startsWith('HTTP/1.1 200 ') || !length) {
        this.waiting?.reject(new Error(`The response began with ${this.head.slice(0, 80)}`))
        return
      }
      this.expected = end + 4 + Number(length)
    }
    if (this.received < this.expected) return
    const { waiting } = this
    this.head = ''
    this.received = 0
    this.expected = undefined
    this.waiting = undefined
    waiting?.resolve()
  }

  close(): void {
    this.socket.destroy()
  }
}
