import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { atFileEnd } from '../media/file-end.ts'

/** A proxy to the database that can silence only the listening connections, without closing them. */
export interface DatabaseProxy {
  /** The DATABASE_URL of processes that use the proxy. */
  url: string
  /** From now on connections that listen, existing or new, pass no data. */
  silence(): void
  /** Connections opened from now on work; silenced ones stay silent. */
  heal(): void
  /** Cuts every connection and refuses new ones until `restore`. */
  cut(): void
  restore(): void
  /** Returns the number of connections that listen or have listened. */
  listeners(): number
  /** Returns the number of messages that clients sent on connections that do not listen. */
  messages(): number
}

/** Starts a proxy in front of `databaseUrl`; it ends with the test file. */
export async function databaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const url = new URL(databaseUrl)
  const host = url.searchParams.get('host') ?? url.hostname
  const port = Number(url.port || 5432)
  const sockets = new Set<Socket>()
  const listening = new Set<{ silent: boolean }>()
  let silenced = false
  let messages = 0
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
      if (!listens) messages++
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
  atFileEnd(() => {
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
    messages: () => messages,
  }
}
