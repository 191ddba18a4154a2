import { Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http'

export interface ClientResponse {
  status: number
  headers: IncomingHttpHeaders
  body: string
}

export interface RequestOptions {
  method?: string
  /** An array repeats the header. */
  headers?: OutgoingHttpHeaders
  body?: string
  agent?: Agent
  signal?: AbortSignal
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 })

/** Sends one request over kept connections: a fraction of fetch's cost, and it can repeat any header. */
export function send(
  url: string,
  { method = 'GET', headers, body, agent: own = agent, signal }: RequestOptions = {},
): Promise<ClientResponse> {
  return new Promise((resolve, reject) => {
    // Node sets no Content-Length for the body of a GET.
    const length = body === undefined ? undefined : { 'content-length': Buffer.byteLength(body) }
    // Parsed here: the path must be sent unchanged.
    const [, host, port, path] = /^http:\/\/([^:/]+):(\d+)(.*)$/.exec(url) ?? []
    const sent = request({ host, port, path: path || '/', method, headers: { ...length, ...headers }, agent: own, signal }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('error', reject)
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(parts).toString() }),
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** Calls `once` from `workers` concurrent loops until one of the calls returns false. */
export async function repeatConcurrently(workers: number, once: (worker: number) => Promise<boolean>): Promise<void> {
  const loop = async (worker: number) => {
    while (await once(worker));
  }
  await Promise.all(Array.from({ length: workers }, (_, worker) => loop(worker)))
}
