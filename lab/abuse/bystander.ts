import { readFileSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { type ClientResponse, type RequestOptions, send } from '../../server/testing/client.ts'
import type { Bystander } from './accounts.ts'
import { type Heard, KINDS, type Kind, PACE_MS, type Samples } from './kinds.ts'

/**
 * The bystander's process: one customer with a backend, a viewer and an open dashboard. Its first argument names a file with the account.
 * `{ ms }` starts a measurement that long; responds with what it observed.
 */
const own = JSON.parse(readFileSync(process.argv[2] as string, 'utf8')) as Bystander
const ADDRESS = '203.0.113.5'
/** By then, a user has given up. */
const PATIENCE_MS = 10_000
/** Between requests with a key that was revoked. */
const POLL_MS = 20

// It stands for another machine, so the time in which it waits for a core does not count against the service.
try {
  setPriority(getPriority() - 10)
} catch {
  process.stderr.write('Without root, figures contain the time in which the bystander waits for a core.\n')
}
process.on('disconnect', () => process.exit(1))
process.on('message', async ({ ms }: { ms: number }) => process.send?.(await measure(ms)))
process.send?.({ ready: true })

async function measure(ms: number): Promise<Samples> {
  const samples = Object.fromEntries(KINDS.map((kind): [Kind, Heard] => [kind, { took: [], failed: [] }])) as Samples
  const until = performance.now() + ms
  // Without one, each of its requests fails for the reason that opening it had.
  const session = openSession()
  session.catch(() => {})
  const once: Record<Kind, (at: number) => Promise<number>> = {
    'GET video': () => timed(`/v1/video/${own.videoId}`, keyed()),
    'playback token': () => timed(`/v1/video/${own.videoId}/playback-token`, { ...keyed(), method: 'POST' }),
    'exchange of a token': async () => timed(`/v1/video/playback/manifest/${(await session).token}`),
    playlist: async () => timed((await session).playlist),
    segment: async (at) => {
      const { segments } = await session
      return timed(segments[at % segments.length] as string)
    },
    'content key': async () => timed((await session).key),
    'video list of the dashboard': () => timed(`/api/trpc/video.list?input=${encodeURIComponent('{"json":{}}')}`, signedIn()),
    'page /sign-in': () => timed('/sign-in'),
    'page /docs': () => timed('/docs'),
    'sign-in': signIn,
    revocation,
  }
  const loop = async (kind: Kind) => {
    const { took, failed } = samples[kind]
    for (let at = 0; at === 0 || performance.now() < until; at++) {
      await once[kind](at).then(
        (ms) => took.push(ms),
        (error: Error) => failed.push(error.message),
      )
      await wait(PACE_MS[kind])
    }
  }
  await Promise.all(KINDS.map(loop))
  return samples
}

const keyed = (key = own.key): RequestOptions => ({ headers: { 'x-service-key': key } })
const signedIn = (): RequestOptions => ({ headers: { cookie: own.cookie, origin: own.base } })

async function request(path: string, { headers, ...options }: RequestOptions = {}): Promise<ClientResponse> {
  const sent = { ...options, headers: { 'x-forwarded-for': ADDRESS, ...headers }, signal: AbortSignal.timeout(PATIENCE_MS) }
  return send(path.startsWith('http') ? path : own.base + path, sent).catch((error: Error) => {
    throw new Error(sent.signal.aborted ? `no answer within ${PATIENCE_MS / 1_000} s` : error.message)
  })
}

/** Resolves with the response. Rejects for any status but a success. */
async function answered(path: string, options?: RequestOptions): Promise<ClientResponse> {
  const response = await request(path, options)
  if (response.status < 200 || response.status > 299) throw new Error(`${response.status} ${response.body.slice(0, 160)}`)
  return response
}

/** Resolves with the milliseconds until the response was received. */
async function timed(path: string, options?: RequestOptions): Promise<number> {
  const began = performance.now()
  await answered(path, options)
  return performance.now() - began
}

interface Session {
  token: string
  playlist: string
  segments: string[]
  key: string
}
let opened: Session | undefined
let openedAt = 0
/** Shorter than a token, and than a key URL. */
const SESSION_MS = 120_000

/** Opens a playback session, as a player does. It is kept for two minutes, so it is already open during an attack. */
async function openSession(): Promise<Session> {
  if (opened && performance.now() - openedAt < SESSION_MS) return opened
  const issued = await answered(`/v1/video/${own.videoId}/playback-token`, { ...keyed(), method: 'POST' })
  const { token } = dataOf<{ token: string }>(issued)
  const manifest = await answered(`/v1/video/playback/manifest/${token}`)
  const { masterPlaylistUrl } = dataOf<{ masterPlaylistUrl: string }>(manifest)
  const playlist = linesOf(await answered(masterPlaylistUrl), masterPlaylistUrl)[0] as string
  const media = await answered(playlist)
  const key = /URI="([^"]+)"/.exec(media.body)?.[1] ?? ''
  openedAt = performance.now()
  opened = { token, playlist, segments: linesOf(media, playlist), key: new URL(key, playlist).href }
  return opened
}

const dataOf = <Data>({ body }: ClientResponse) => (JSON.parse(body) as { data: Data }).data
const linesOf = ({ body }: ClientResponse, base: string) =>
  body
    .split('\n')
    .filter((line) => line && !line.startsWith('#'))
    .map((line) => new URL(line, base).href)

let form: { csrfToken: string; cookie: string } | undefined

/** Signs in with the right password. */
async function signIn(): Promise<number> {
  if (!form) {
    const response = await answered('/api/auth/csrf')
    const cookies = response.headers['set-cookie'] ?? []
    form = { ...(JSON.parse(response.body) as { csrfToken: string }), cookie: cookies.map((line) => line.split(';')[0]).join('; ') }
  }
  const { csrfToken, cookie } = form
  const { email, password } = own
  return timed('/api/auth/callback/credentials', {
    method: 'POST',
    headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
    body: String(new URLSearchParams({ email, password, csrfToken, json: 'true' })),
  })
}

/** Revokes a working key. Resolves with the milliseconds from the revocation request until the key is refused. */
async function revocation(at: number): Promise<number> {
  const made = await mutate<{ id: string; value: string }>('key.create', {
    ...{ name: `Bystander ${Date.now()} ${at}`, environment: 'TEST', scopes: ['video:read'] },
  })
  const path = `/v1/video/${own.videoId}`
  // A test key sees none of the account's videos. Any response but a refusal of the key shows that it works.
  const before = await request(path, keyed(made.value))
  if (before.status === 401) throw new Error('a new key was refused')
  const began = performance.now()
  await mutate('key.revoke', { keyId: made.id })
  for (;;) {
    const { status } = await request(path, keyed(made.value))
    const took = performance.now() - began
    if (status === 401) return took
    if (took > PATIENCE_MS) throw new Error(`a revoked key works after ${PATIENCE_MS / 1_000} s`)
    await wait(POLL_MS)
  }
}

async function mutate<Data>(path: string, input: unknown): Promise<Data> {
  const { headers } = signedIn()
  const sent = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify({ json: input }) }
  const { body } = await answered(`/api/trpc/${path}`, sent)
  return (JSON.parse(body) as { result: { data: { json: Data } } }).result.data.json
}
