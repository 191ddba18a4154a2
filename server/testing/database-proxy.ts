import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterAll } from 'vitest'

/** A wire to the database that can go silent for the listening connections alone, without any end being told. */
export interface DatabaseProxy {
  /** Give it to a process as its DATABASE_URL. */
  url: string
  /** From now on nothing passes on connections that listen, old or new. */
  silence(): void
  /** Connections opened from now on work; those silenced stay so. */
  heal(): void
  /** Every connection breaks off, and new ones are turned away until `restore`. */
  cut(): void
  restore(): void
  /** Connections that listen or have listened. */
  listeners(): number
  /** Messages that clients have sent on connections that do not listen. */
  asked(): number
}

/** Starts one in front of `databaseUrl`; it ends with the test file. */
export async function databaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const url = new URL(databaseUrl)
  const host = url.searchParams.get('host') ?? url.hostname
  const port = Number(url.port || 5432)
  const sockets = new Set<Socket>()
  const listening = new Set<{ silent: boolean }>()
  let silenced = false
  let asked = 0
  let closed = false

  const server = createServer((client) => {
    if (closed) return client.destroy()
    const upstream = connect(port, host)
    const state = { silent: false }
    let listens = false
    client.on('data', (data) => {
      if (!listens && data.includes('LISTEN')) {
        listens = true
        listening.add(state)
        state.silent = silenced
      }
      if (!listens) asked++
      if (!state.silent) upstream.write(data)
    })
    upstream.on('data', (data) => {
      if (!state.silent) client.write(data)
    })
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        if (!state.silent) other.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterAll(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    silence() {
      silenced = true
      for (const state of listening) state.silent = true
    },
    heal() {
      silenced = false
    },
    cut() {
      closed = true
      for (const socket of sockets) socket.destroy()
    },
    restore() {
      closed = false
    },
    listeners: () => listening.size,
    asked: () => asked,
  }
}
