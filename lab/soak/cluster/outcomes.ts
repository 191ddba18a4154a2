import { Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http'

/** What a request asks for. */
export type Kind = 'list' | 'video' | 'token' | 'exchange' | 'playlist' | 'key' | 'segment' | 'upload'

/** One request of the load and its result. Times are of `performance.now()`. */
export interface Outcome {
  kind: Kind
  beganAt: number
  endedAt: number
  /** 0 when the connection ended without a response. */
  status: number
  failed: boolean
  /** What failed, for the report. */
  reason: string
}

export interface Reply {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

interface Asked {
  method?: string
  headers?: OutgoingHttpHeaders
  body?: Buffer
  /** Statuses that are no failure, in addition to 200, 201 and 204. */
  expected?: readonly number[]
}

const TIMEOUT_MS = 60_000
const ACCEPTED = [200, 201, 204]

/** Sends the requests of the load to the proxy and keeps the outcome of each. Nothing is sent twice. */
export class Outcomes {
  readonly all: Outcome[] = []
  private readonly base: string
  // Idle connections end before those of the proxy do.
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 64, timeout: TIMEOUT_MS })

  constructor(base: string) {
    this.base = base
  }

  /** Resolves with the reply; its status is 0 when the connection ended without a complete one. */
  async ask(kind: Kind, path: string, asked: Asked = {}): Promise<Reply> {
    const beganAt = performance.now()
    const reply = await this.send(path, asked).catch((error: NodeJS.ErrnoException) => ({
      ...{ status: 0, headers: {}, body: Buffer.from(error.code ?? error.message) },
    }))
    const failed = ![...ACCEPTED, ...(asked.expected ?? [])].includes(reply.status)
    const reason = failed ? `${asked.method ?? 'GET'} ${path.slice(0, 60)}: ${reply.status} ${reply.body.toString().slice(0, 160)}` : ''
    this.all.push({ kind, beganAt, endedAt: performance.now(), status: reply.status, failed, reason })
    return reply
  }

  /** Records that a response of status 200 was wrong. */
  addWrong(kind: Kind, reason: string): void {
    const now = performance.now()
    this.all.push({ kind, beganAt: now, endedAt: now, status: 200, failed: true, reason })
  }

  private send(path: string, { method = 'GET', headers = {}, body }: Asked): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const length = body ? { 'content-length': body.length } : {}
      const options = { method, headers: { ...length, ...headers }, agent: this.agent, timeout: TIMEOUT_MS }
      const sent = request(this.base + path, options, (response) => {
        const parts: Buffer[] = []
        response
          .on('data', (part: Buffer) => parts.push(part))
          .on('error', reject)
          .on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(parts) }))
      })
      sent.on('timeout', () => sent.destroy(new Error(`no response within ${TIMEOUT_MS} ms`)))
      sent.on('error', reject)
      sent.end(body)
    })
  }
}
