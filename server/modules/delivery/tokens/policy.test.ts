import { describe, expect, it, test } from 'vitest'
import { provide } from '../../../testing/settings.ts'
import { offeredQualities, openPolicy, type PlaybackPolicy, playbackPolicy, sealPolicy } from './policy.ts'

provide({ BASE_URL: 'http://localhost', CDN_URL: 'https://cdn.example/', REELGATE_SECRET: 'a secret for tests, long enough to be one' })

const sealed = (policy: PlaybackPolicy, jti = 'tok_a') => sealPolicy(jti, policy) as string

describe('a sealed policy', () => {
  const policy = { countries: ['CH', 'DE'], addresses: ['203.0.113.0/24', '2001:db8::7'], maxHeight: 720 }
  it('opens for its own token only', () => {
    expect(openPolicy('tok_a', sealed(policy))).toEqual(policy)
    expect(() => openPolicy('tok_b', sealed(policy))).toThrow(expect.objectContaining({ code: 'PLAYBACK_TOKEN_INVALID' }))
  })
  it('cannot be changed', () => {
    const bytes = Buffer.from(sealed(policy), 'base64url')
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ 1
      expect(() => openPolicy('tok_a', changed.toString('base64url'))).toThrow(expect.objectContaining({ code: 'PLAYBACK_TOKEN_INVALID' }))
    }
  })
  it('shows nothing of its content, and is equal for equal input', () => {
    expect(Buffer.from(sealed(policy), 'base64url').toString('latin1')).not.toMatch(/203|CH|DE|720/)
    expect(sealed(policy)).toBe(sealed({ ...policy }))
    expect(sealed(policy)).not.toBe(sealed(policy, 'tok_b'))
    expect(sealed(policy).slice(0, 16)).not.toBe(sealed({ ...policy, maxHeight: 480 }).slice(0, 16))
  })
  it('is absent where nothing restricts the session', () => {
    expect(sealPolicy('tok_a', {})).toBeUndefined()
    expect(sealPolicy('tok_a', { expiresInSec: 30 })).toBeUndefined()
  })
  it('has room for every country and the most addresses', () => {
    const countries = Array.from({ length: 249 }, (_, at) => String.fromCharCode(65 + (at % 26), 65 + Math.floor(at / 26)))
    const addresses = Array.from({ length: 16 }, (_, at) => `2001:db8:ffff:ffff:ffff:ffff:ffff:fff${at.toString(16)}/128`)
    expect(openPolicy('tok_a', sealed({ countries, addresses }))).toEqual({ countries, addresses })
    expect(sealed({ countries, addresses }).length).toBeLessThan(2_900)
  })
})

test.each([
  ['an unknown field', { viewers: 1 }],
  ['a country in small letters', { countries: ['ch'] }],
  ['no country', { countries: [] }],
  ['a host name', { addresses: ['example.com'] }],
  ['17 addresses', { addresses: Array.from({ length: 17 }, () => '192.0.2.1') }],
  ['half a pixel', { maxHeight: 0.5 }],
  ['sessions of nobody', { maxSessions: 1 }],
  ['a limit without a number', { viewer: { id: 'a' }, onLimit: 'refuse' }],
  ['a line break in an id', { viewer: { id: 'a\n' } }],
  ['29 seconds', { expiresInSec: 29 }],
  ['301 seconds', { expiresInSec: 301 }],
])('a policy with %s is refused', (_name, policy) => expect(playbackPolicy.safeParse(policy).success).toBe(false))

test('a policy offers the qualities up to its height, and the lowest one in any case', () => {
  const all = ['1080p', '720p', '480p']
  expect([...offeredQualities(all, {})]).toEqual(all)
  expect([...offeredQualities(all, { maxHeight: 720 })]).toEqual(['720p', '480p'])
  expect([...offeredQualities(all, { maxHeight: 719 })]).toEqual(['480p'])
  expect([...offeredQualities(all, { maxHeight: 100 })]).toEqual(['480p'])
})
