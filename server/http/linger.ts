import type { Socket } from 'node:net'

/** Longest time that a refused connection stays open, to finish sending a response and let the client read the error. */
const LINGER_MS = 5_000

/** Destroys a connection after a while, if it has not ended. Closing at once would reset it, and lose a response that was not read yet. */
export function destroyLater(socket: Socket): void {
  const linger = setTimeout(() => socket.destroy(), LINGER_MS).unref()
  socket.once('close', () => clearTimeout(linger))
}

/**
 * Ends the connection after the response in progress, which must have `Connection: close`; Node would destroy it. Reads and discards what
 * the client still sends until it ends its side.
 */
export function lingerAfterResponse(socket: Socket): void {
  socket.destroySoon = () => {
    socket.end()
    destroyLater(socket)
  }
}
