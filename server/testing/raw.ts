import { connect, type Socket } from 'node:net'

/** A response as received, byte for byte. */
export interface RawResponse {
  status: number
  headers: Record<string, string>
  body: string
}

/** A connection on which the test writes every byte. */
export interface RawConnection {
  socket: Socket
  write(bytes: string | Uint8Array): void
  /** Waits until this many complete responses have arrived, or the connection ends. */
  responses(count: number): Promise<RawResponse[]>
  /** Resolves with all responses when the connection has ended. Rejects if the last bytes are not a complete response. */
  ended: Promise<RawResponse[]>
}

/** Opens a connection to `http://host:port` and writes `bytes`, each character one byte. */
export async function rawConnection(baseUrl: string, bytes = ''): Promise<RawConnection> {
  const { hostname, port } = new URL(baseUrl)
  const socket = connect(Number(port), hostname)
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  let received = ''
  let gone = false
  let heard: () => void = () => {}
  socket.on('data', (part) => {
    received += part.toString('latin1')
    heard()
  })
  // A server may end a connection with a reset; the bytes received before it count.
  socket.on('error', () => {})
  const ended = new Promise<RawResponse[]>((resolve, reject) => {
    socket.once('close', () => {
      gone = true
      heard()
      const { whole, rest } = parse(received)
      if (rest === '') resolve(whole)
      else reject(new Error(`The connection ended in the middle of a response: ${JSON.stringify(rest.slice(0, 200))}`))
    })
  })
  ended.catch(() => {})
  const write = (more: string | Uint8Array) => void socket.write(typeof more === 'string' ? Buffer.from(more, 'latin1') : more)
  if (bytes) write(bytes)
  return {
    socket,
    write,
    ended,
    async responses(count) {
      while (!gone && parse(received).whole.length < count) await new Promise<void>((resolve) => (heard = resolve))
      return parse(received).whole
    },
  }
}

/** Returns complete responses with a Content-Length (or without a body), and the remaining text. */
function parse(text: string): { whole: RawResponse[]; rest: string } {
  const whole: RawResponse[] = []
  let rest = text
  for (;;) {
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) return { whole, rest }
    const [first = '', ...lines] = rest.slice(0, end).split('\r\n')
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    )
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1])
    if (!status) return { whole, rest }
    const isBare = status < 200 || status === 204 || status === 304
    const from = end + 4
    const to = from + (isBare ? 0 : Number(headers['content-length'] ?? rest.length - from))
    if (rest.length < to) return { whole, rest }
    if (status >= 200) whole.push({ status, headers, body: Buffer.from(rest.slice(from, to), 'latin1').toString() })
    rest = rest.slice(to)
  }
}
