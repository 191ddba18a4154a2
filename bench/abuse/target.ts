import type { AccountCtx } from '../../server/context.ts'

/** What an attack is made with: a running service, and an account of the attacker's own in it. */
export interface Target {
  base: string
  /** The attacker's: a session, an API key and a video. */
  cookie: string
  key: string
  videoId: string
  ctx: AccountCtx
  /** Where the service keeps its files; a small volume where `isSmall`. */
  dataDir: string
  isSmall: boolean
  /** A playback token that has expired. */
  deadToken: string
  /** A small picture file that is large to decode, and a film that is small and long to transcode. */
  picture: Buffer
  film: Buffer
}

/** One way to take the service away from others, as an account or a stranger can try it; speaks HTTP to 127.0.0.1. */
export interface Attack {
  name: string
  /** At most so many pieces of it are begun in a round, whatever the service does. */
  most: number
  /** At once. */
  workers: number
  /** One piece. Refusals are answers; throws only where the attack could not be made. */
  once(target: Target, at: number, signal: AbortSignal): Promise<void>
  /** After each round. */
  clean?(target: Target): Promise<void>
  /** Why it cannot be tried on this machine; undefined where it can. */
  lacks?(target: Target): string | undefined
}

/** A request as the attacker's browser sends it; its answer is read and thrown away. Resolves with the status, 0 where there was none. */
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

/** Calls a procedure of the dashboard. Resolves with what it answered; undefined for a refusal. */
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

/** Begins an upload and sends `bytes`, of `size` announced. Resolves with the status of the last answer, 0 where there was none. */
export async function upload(target: Target, bytes: Buffer, size: number, signal: AbortSignal): Promise<number> {
  const encode = (text: string) => Buffer.from(text).toString('base64')
  const tus = { 'Tus-Resumable': '1.0.0', cookie: target.cookie }
  try {
    const begun = await fetch(`${target.base}/api/upload`, {
      method: 'POST',
      headers: { ...tus, 'Upload-Length': String(size), 'Upload-Metadata': `title ${encode('Film')},filename ${encode('film.mp4')}` },
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
