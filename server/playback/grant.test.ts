import { beforeAll, describe, expect, it } from 'vitest'
import { hearDatabaseClock } from '../infra/clock.ts'
import { provide } from '../infra/env.ts'
import { checkGrant, masterPlaylistUrl, mintGrant } from './grant.ts'
import { checkKeyUrl, keyUrl } from './key-url.ts'

provide({
  BASE_URL: 'http://localhost',
  CDN_URL: 'https://cdn.example/',
  KEY_URL_TTL_SEC: '300',
  REELGATE_SECRET: 'a secret for tests, long enough to be one',
})

/** Stands the service's clock `seconds` from now. */
const standAt = (seconds: number) => hearDatabaseClock(Date.now() + seconds * 1_000, Date.now())
beforeAll(() => standAt(0))
const code = (check: () => void): string => {
  try {
    check()
    return 'accepted'
  } catch (error) {
    return (error as { code: string }).code
  }
}
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1_000) + seconds

describe('a grant', () => {
  it('opens its own video until it expires', () => {
    const grant = mintGrant('vid_a', inSeconds(60))
    expect(code(() => checkGrant('vid_a', grant))).toBe('accepted')
    expect(code(() => checkGrant('vid_b', grant))).toBe('PLAYBACK_TOKEN_INVALID')
    standAt(61)
    expect(code(() => checkGrant('vid_a', grant))).toBe('PLAYBACK_TOKEN_EXPIRED')
    expect(code(() => checkGrant('vid_b', grant))).toBe('PLAYBACK_TOKEN_INVALID')
    standAt(0)
  })

  it('changed in any character is invalid', () => {
    const grant = mintGrant('vid_a', inSeconds(60))
    for (let at = 0; at < grant.length; at++) {
      for (const other of ['0', 'A', 'z', '_']) {
        if (grant[at] === other) continue
        const changed = grant.slice(0, at) + other + grant.slice(at + 1)
        expect(code(() => checkGrant('vid_a', changed))).toBe('PLAYBACK_TOKEN_INVALID')
      }
    }
  })

  it.each(['', '-', 'x', '../..', '0'.repeat(500), `zzzzzzzzzzzz-${'A'.repeat(22)}`])('%j is none', (grant) => {
    expect(code(() => checkGrant('vid_a', grant))).toBe('PLAYBACK_TOKEN_INVALID')
  })

  it.each([
    ['a short film', 60, 6 * 3_600],
    ['an evening of six hours', 6 * 3_600, 12 * 3_600],
  ])('outlives %s', (_name, durationSec, lifetime) => {
    const { url, sessionExpiresAt } = masterPlaylistUrl('vid_a', durationSec)
    const [, grant = ''] = /^https:\/\/cdn\.example\/cdn\/hls\/vid_a\/([^/]+)\/master\.m3u8$/.exec(url) ?? []
    expect(code(() => checkGrant('vid_a', grant))).toBe('accepted')
    expect(Math.abs(sessionExpiresAt.getTime() / 1_000 - inSeconds(lifetime))).toBeLessThan(5)
    standAt(lifetime - 5)
    expect(code(() => checkGrant('vid_a', grant))).toBe('accepted')
    standAt(lifetime + 5)
    expect(code(() => checkGrant('vid_a', grant))).toBe('PLAYBACK_TOKEN_EXPIRED')
    standAt(0)
  })
})

describe('a key address', () => {
  const parts = (address: string) => {
    const query = new URL(address).searchParams
    return { exp: query.get('exp'), sig: query.get('sig') }
  }

  it('opens its own video for KEY_URL_TTL_SEC', () => {
    const address = keyUrl('vid_a')
    expect(address).toMatch(/^https:\/\/cdn\.example\/cdn\/keys\/vid_a\?exp=\d+&sig=[\w-]{22}$/)
    expect(code(() => checkKeyUrl('vid_a', parts(address)))).toBe('accepted')
    expect(code(() => checkKeyUrl('vid_b', parts(address)))).toBe('PLAYBACK_TOKEN_INVALID')
    standAt(295)
    expect(code(() => checkKeyUrl('vid_a', parts(address)))).toBe('accepted')
    standAt(301)
    expect(code(() => checkKeyUrl('vid_a', parts(address)))).toBe('PLAYBACK_TOKEN_EXPIRED')
    standAt(0)
  })

  it('cannot be prolonged, and is nothing without its signature', () => {
    const { exp, sig } = parts(keyUrl('vid_a'))
    const later = String(Number(exp) + 1)
    for (const given of [
      { exp: later, sig },
      { exp, sig: null },
      { exp: null, sig },
      { exp: `${exp}.0`, sig },
      { exp: ` ${exp}`, sig },
      { exp, sig: '' },
    ]) {
      expect(code(() => checkKeyUrl('vid_a', given))).toBe('PLAYBACK_TOKEN_INVALID')
    }
  })
})
