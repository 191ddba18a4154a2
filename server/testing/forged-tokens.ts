import { createHmac } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { serviceNow } from '../platform/database/clock.ts'
import { type ClientResponse, send } from './client.ts'
import { stopClock } from './clock.ts'
import { testDatabase } from './database.ts'
import { startHttpServer } from './http-server.ts'
import { makeAccount, makeVideo } from './make.ts'
import { atFileEnd } from './media/file-end.ts'
import { provide } from './settings.ts'

export const SECRET = 'the secret that signs and has the kid current'
export const PREVIOUS = 'the secret that signed before and has the kid previous'
export const ATTACKER = 'a secret that the attacker chose, long enough for HS256'

/** The database's clock, in Unix seconds. It is stopped, and the process's is hours away. */
export const NOW = Date.UTC(2026, 10, 21, 12) / 1000
const NOW_MS = NOW * 1000 + 400

export const INVALID = 'PLAYBACK_TOKEN_INVALID'
export const EXPIRED = 'PLAYBACK_TOKEN_EXPIRED'

/** The parts of a token that differ. */
export interface Made {
  /** Replaced or added. Undefined removes. */
  header?: Record<string, unknown>
  claims?: Record<string, unknown>
  /** Instead of the claims' JSON. */
  payload?: string | Uint8Array
  secret?: string | Buffer
  hash?: 'sha256' | 'sha384' | 'sha512'
  /** Instead of the HMAC. */
  signature?: string | ((signed: string) => string)
}

/** A twin differs from its attack only in the attacked part. Without one, it is the plain token. The code is INVALID unless given. */
export type Attack = [name: string, attack: () => string, twin?: () => string, code?: string]

export const base64url = (value: string | Uint8Array) => Buffer.from(value).toString('base64url')

/** Two videos of one account, set once the tests run. */
export const forged = { videoId: '', otherVideoId: '' }

/** Builds a playback token without the service's code. Without arguments, it equals the service's. */
export function token({ header, claims, payload, secret = SECRET, hash = 'sha256', signature }: Made = {}): string {
  const head = { alg: 'HS256', kid: 'current', typ: 'JWT', ...header }
  const body = { videoId: forged.videoId, jti: 'tok_1', iss: 'reelgate', aud: 'playback', iat: NOW, exp: NOW + 300, ...claims }
  const signed = `${base64url(JSON.stringify(head))}.${base64url(payload ?? JSON.stringify(body))}`
  const hmac = () => createHmac(hash, secret).update(signed).digest('base64url')
  return `pt_${signed}.${typeof signature === 'function' ? signature(signed) : (signature ?? hmac())}`
}

/** Changes the parts of a token. */
export function parts(change: (header: string, payload: string, signature: string) => string): string {
  const [header, payload, signature] = token().slice(3).split('.') as [string, string, string]
  return change(header, payload, signature)
}

/**
 * Starts a server that accepts tokens under the two secrets above, at NOW. Call it first, at the top of the file, instead of
 * `testDatabase()`.
 */
export async function attackedServer() {
  await testDatabase()
  await stopClock(new Date(NOW_MS))
  provide({ PLAYBACK_TOKEN_SECRETS: `current:${SECRET},previous:${PREVIOUS}` })
  vi.useFakeTimers({ toFake: ['Date'], now: (NOW - 7 * 3600) * 1000 })
  atFileEnd(() => vi.useRealTimers())
  const baseUrl = await startHttpServer()
  beforeAll(async () => {
    const owner = await makeAccount()
    Object.assign(forged, { videoId: await makeVideo(owner), otherVideoId: await makeVideo(owner) })
    // The clock changes with the next heartbeat. (vitest's own waiting would move the clock.)
    while (serviceNow() !== NOW_MS) await wait(20)
  })

  const exchange = (path: string): Promise<ClientResponse> => send(`${baseUrl}/v1/video/playback/manifest/${path}`)

  async function expectRefused(path: string, code: string): Promise<void> {
    const { status, headers, body } = await exchange(path)
    expect({ status, code: JSON.parse(body).error?.code }).toEqual({ status: code === 'VIDEO_NOT_FOUND' ? 404 : 401, code })
    expect(headers['content-type']).toBe('application/json')
  }

  /** Sends each attack as one path segment, percent-encoded, and its twin, which must be accepted. */
  function tryAll(what: string, attacks: Attack[]): void {
    describe(what, () => {
      test.each(attacks)('%s', async (_name, attack, twin = () => token(), code = INVALID) => {
        expect(attack()).not.toBe(twin())
        await expectRefused(encodeURIComponent(attack()), code)
        expect(await exchange(encodeURIComponent(twin()))).toMatchObject({ status: 200 })
      })
    })
  }
  return { baseUrl, exchange, expectRefused, tryAll }
}
