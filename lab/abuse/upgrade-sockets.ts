import { connect, type Socket } from 'node:net'
import type { Attack } from './target.ts'

const sockets = new Set<Socket>()

/** Opens sockets that request another protocol and then send nothing. */
export const upgradeSockets: Attack = {
  name: 'upgrade sockets',
  most: 2_000,
  workers: 50,
  async once({ base }) {
    const { hostname, port } = new URL(base)
    const socket = connect(Number(port), hostname)
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    socket.resume()
    await new Promise<void>((resolve) => {
      socket.once('connect', () => {
        socket.write('GET /sign-in HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n', () => resolve())
      })
      socket.once('close', () => resolve())
    })
    return socket.destroyed ? 0 : 101
  },
  async clean() {
    for (const socket of sockets) socket.destroy()
  },
}
