import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import type { AccountCtx } from '../../server/context.ts'

/** What an attack uses: a running service, and the attacker's account in it. */
export interface Target {
  base: string
  /** The attacker's session, API key and video, which has captions in English. */
  cookie: string
  key: string
  videoId: string
  ctx: AccountCtx
  /** The service's data folder; on a small volume where `isSmall`. */
  dataDir: string
  isSmall: boolean
  /** A playback token that has expired. */
  deadToken: string
  /**
   * Paths of files: a picture that is small and large to decode, a video that is small and slow to transcode, and two seconds of video with 40
   * tracks of subtitles.
   */
  picture: string
  clip: string
  manyTracks: string
}

/** An attempt to deny the service to others, by an account or a stranger. Sends HTTP to 127.0.0.1. */
export interface Attack {
  name: string
  /** The most operations started in a round, whatever the service does. Defaults to as many as the time allows. */
  most?: number
  /** The number of concurrent operations. */
  workers: number
  /** Runs one operation. Resolves with its last response's status, 0 if there was none. Throws only if it could not run. */
  once(target: Target, at: number, signal: AbortSignal): Promise<number>
  /** Runs after each round. */
  clean?(target: Target): Promise<void>
  /** Returns why it cannot run on this machine. Undefined if it can. */
  lacks?(target: Target): string | undefined
}

/** The attacker's address, if it has only one. */
const ADDRESS = '198.51.100.9'

export interface Asked {
  method?: string
  headers?: Record<string, string>
  body?: string | Buffer
  /** The address that the trusted proxy reports. */
  address?: string
}

export interface Answer {
  /** 0 if there was no complete response. */
  status: number
  headers: Record<string, string | string[] | undefined>
  /** Empty for a response that is discarded. */
  body: string
}

const NOTHING: Answer = { status: 0, headers: {}, body: '' }
/** Longer responses are read and discarded. */
const KEPT_CHARACTERS = 100_000
/** As many connections as there are requests at once. */
const agent = new Agent({ keepAlive: true })

/** Sends a request as the attacker's browser does, with the session and the API key. */
export function ask({ base, cookie, key }: Target, path: string, asked: Asked, signal: AbortSignal): Promise<Answer> {
  const { method = 'GET', headers, body, address = ADDRESS } = asked
  return new Promise((resolve) => {
    const own = { cookie, origin: base, 'x-service-key': key, 'x-forwarded-for': address, ...headers }
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
    const sent = request(base + path, { method, agent, signal, headers: { ...own, ...length } }, (response) => {
      let kept = ''
      response.setEncoding('utf8').on('data', (part: string) => {
        if (kept.length < KEPT_CHARACTERS) kept += part
      })
      response.on('error', () => resolve(NOTHING))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: kept }))
    })
    sent.on('error', () => resolve(NOTHING))
    sent.end(body)
  })
}

/** Sends JSON to the public API. */
export const send = (target: Target, method: string, path: string, value: unknown, signal: AbortSignal): Promise<Answer> =>
  ask(target, path, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) }, signal)

/** Calls a procedure of the dashboard. `data` is undefined for a refusal. */
export async function mutate<Data>(
  target: Target,
  path: string,
  input: unknown,
  signal: AbortSignal,
): Promise<{ status: number; data?: Data }> {
  const { status, body } = await send(target, 'POST', `/api/trpc/${path}`, { json: input }, signal)
  return status === 200 ? { status, data: (JSON.parse(body) as { result: { data: { json: Data } } }).result.data.json } : { status }
}

const UPLOADS = { 'Tus-Resumable': '1.0.0' }

/** Starts an upload and sends `bytes`, of `size` announced. Resolves with the status of the last response. */
export async function upload(target: Target, name: string, bytes: Buffer, size: number, signal: AbortSignal): Promise<number> {
  const encode = (text: string) => Buffer.from(text).toString('base64')
  const described = { 'Upload-Length': String(size), 'Upload-Metadata': `title ${encode('Clip')},filename ${encode(name)}` }
  const begun = await ask(target, '/api/upload', { method: 'POST', headers: { ...UPLOADS, ...described } }, signal)
  const { location } = begun.headers
  if (begun.status !== 201 || typeof location !== 'string') return begun.status
  const headers = { ...UPLOADS, 'Upload-Offset': '0', 'Content-Type': 'application/offset+octet-stream' }
  const path = new URL(location, target.base).pathname
  return (await ask(target, path, { method: 'PATCH', headers, body: bytes }, signal)).status
}

const read = new Map<string, Buffer>()

/** Returns the content of a file, which is read once. */
export function contentOf(path: string): Buffer {
  const content = read.get(path) ?? readFileSync(path)
  read.set(path, content)
  return content
}
