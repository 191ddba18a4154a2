import type { AccountCtx } from '../../server/context.ts'

/** What an attack uses: a running service, and the attacker's account in it. */
export interface Target {
  base: string
  /** The attacker's session, API key and video. */
  cookie: string
  key: string
  videoId: string
  ctx: AccountCtx
  /** The service's data folder; on a small volume where `isSmall`. */
  dataDir: string
  isSmall: boolean
  /** A playback token that has expired. */
  deadToken: string
  /** A picture that is a small file and large to decode, and a video that is a small file and slow to transcode. */
  picture: Buffer
  clip: Buffer
}

/** An attempt to deny the service to others, by an account or a stranger; sends HTTP to 127.0.0.1. */
export interface Attack {
  name: string
  /** The most operations started in a round, whatever the service does. */
  most: number
  /** The number of concurrent operations. */
  workers: number
  /** Runs one operation. A refusal is a result; throws only where the attack could not be run. */
  once(target: Target, at: number, signal: AbortSignal): Promise<void>
  /** Runs after each round. */
  clean?(target: Target): Promise<void>
  /** Returns why it cannot run on this machine; undefined where it can. */
  lacks?(target: Target): string | undefined
}

/**
 * Sends a request as the attacker's browser does; reads and discards the response. Resolves with the status, 0 where there was no response.
 */
export async function ask({ base, cookie }: Target, path: string, init: RequestInit, signal: AbortSignal): Promise<number> {
  try {
    const headers = { cookie, origin: base, ...(init.headers as Record<string, string>) }
    const response = await fetch(base + path, { redirect: 'manual', ...init, headers, signal })
    await response.arrayBuffer()
    return response.status
  } catch {
    return 0
  }
}

/** Calls a procedure of the dashboard. Resolves with its result; undefined for a refusal. */
export async function mutate<Data>({ base, cookie }: Target, path: string, input: unknown, signal: AbortSignal): Promise<Data | undefined> {
  try {
    const headers = { cookie, origin: base, 'content-type': 'application/json' }
    const response = await fetch(`${base}/api/trpc/${path}`, { method: 'POST', headers, body: JSON.stringify({ json: input }), signal })
    const { result } = (await response.json()) as { result?: { data: { json: Data } } }
    return result?.data.json
  } catch {
    return undefined
  }
}

/** Starts an upload and sends `bytes`, of `size` announced. Resolves with the status of the last response, 0 where there was none. */
export async function upload(target: Target, bytes: Buffer, size: number, signal: AbortSignal): Promise<number> {
  const encode = (text: string) => Buffer.from(text).toString('base64')
  const tus = { 'Tus-Resumable': '1.0.0', cookie: target.cookie }
  try {
    const begun = await fetch(`${target.base}/api/upload`, {
      method: 'POST',
      headers: { ...tus, 'Upload-Length': String(size), 'Upload-Metadata': `title ${encode('Clip')},filename ${encode('clip.mp4')}` },
      signal,
    })
    await begun.arrayBuffer()
    const place = begun.headers.get('location')
    if (begun.status !== 201 || !place) return begun.status
    const headers = { ...tus, 'Upload-Offset': '0', 'Content-Type': 'application/offset+octet-stream' }
    const path = new URL(place, target.base).pathname
    return await ask(target, path, { method: 'PATCH', headers, body: new Uint8Array(bytes) }, signal)
  } catch {
    return 0
  }
}
