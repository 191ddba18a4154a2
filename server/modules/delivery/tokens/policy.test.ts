import { describe, expect, it, test } from 'vitest'
import { COUNTRY_CODES } from '../../../platform/network/country-codes.ts'
import { provide } from '../../../testing/settings.ts'
import { SERVICE } from '../../audit/content-access.ts'
import { offeredQualities, openLabel, openPolicy, type PlaybackPolicy, playbackPolicy, sealLabel, sealPolicy } from './policy.ts'
import { signToken, verifyToken } from './token.ts'

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
    const countries = [...COUNTRY_CODES]
    const addresses = Array.from({ length: 16 }, (_, at) => `2001:db8:ffff:ffff:ffff:ffff:ffff:fff${at.toString(16)}/128`)
    expect(openPolicy('tok_a', sealed({ countries, addresses }))).toEqual({ countries, addresses })
    expect(sealed({ countries, addresses }).length).toBeLessThan(2_900)
  })
})

describe('a sealed label', () => {
  const marked: PlaybackPolicy = { viewer: { id: 'student-42', label: 'ada@example.com' }, watermark: 'visible' }
  const label = sealLabel('tok_a', marked) as string
  it('opens for its own token only, and not as a policy', () => {
    expect(openLabel('tok_a', label)).toBe('ada@example.com')
    for (const open of [() => openLabel('tok_b', label), () => openPolicy('tok_a', label), () => openLabel('tok_a', sealed(marked))])
      expect(open).toThrow(expect.objectContaining({ code: 'PLAYBACK_TOKEN_INVALID' }))
  })
  it('is not in the policy, which is part of the URLs of playlists and keys', () => {
    expect(openPolicy('tok_a', sealed(marked))).toEqual({ viewer: { id: 'student-42' } })
    expect(sealed(marked)).toBe(sealed({ viewer: { id: 'student-42' } }))
  })
  it('is absent where no watermark is asked for', () => {
    expect(sealLabel('tok_a', { viewer: { id: 'a', label: 'b' } })).toBeUndefined()
    expect(sealLabel('tok_a', {})).toBeUndefined()
  })
  it('fits into a token with the longest policy, in a line that proxies accept', () => {
    const countries = [...COUNTRY_CODES]
    const addresses = Array.from({ length: 16 }, (_, at) => `2001:db8:ffff:ffff:ffff:ffff:ffff:fff${at.toString(16)}/128`)
    const viewer = { id: '\u{1f600}'.repeat(128), label: '\u{1f600}'.repeat(128) }
    const others = {
      maxSessions: 100,
      onLimit: 'end-oldest',
      resume: true,
      maxHeight: 4320,
      watermark: 'visible',
      expiresInSec: 300,
    } as const
    const policy = playbackPolicy.parse({ countries, addresses, viewer, ...others })
    const jti = `tok_${'a'.repeat(39)}`
    const facts = { videoId: `vid_${'a'.repeat(60)}`, jti, iat: Math.floor(Date.now() / 1_000) }
    const token = signToken(SERVICE, { ...facts, policy: sealPolicy(jti, policy), watermark: sealLabel(jti, policy) })
    expect(openLabel(jti, verifyToken(token).watermark as string)).toBe(viewer.label)
    expect(`https://play.example.com/embed/${facts.videoId}?token=${token}`.length).toBeLessThan(6_000)
    expect(sealed(policy).length).toBeLessThan(2_900)
  })
})

test.each([
  ['an unknown field', { viewers: 1 }],
  ['a country in small letters', { countries: ['ch'] }],
  ['no country', { countries: [] }],
  ['the United Kingdom as people write it', { countries: ['GB', 'UK'] }],
  ['a union of countries', { countries: ['EU'] }],
  ['a country that is no more', { countries: ['SU'] }],
  ['a host name', { addresses: ['example.com'] }],
  ['17 addresses', { addresses: Array.from({ length: 17 }, () => '192.0.2.1') }],
  ['half a pixel', { maxHeight: 0.5 }],
  ['sessions of nobody', { maxSessions: 1 }],
  ['a limit without a number', { viewer: { id: 'a' }, onLimit: 'refuse' }],
  ['a line break in an id', { viewer: { id: 'a\n' } }],
  ['half a character as id', { viewer: { id: '\ud800' } }],
  ['an id that nobody sees', { viewer: { id: '\u200b' } }],
  ['an id that turns the text around it', { viewer: { id: 'a\u202e' } }],
  ['an id that clients take for the folder above', { viewer: { id: '..' } }],
  ['an id of 129 characters', { viewer: { id: 'a'.repeat(129) } }],
  ['a watermark without a label', { viewer: { id: 'a' }, watermark: 'visible' }],
  ['a watermark of nobody', { watermark: 'visible' }],
  ['another watermark', { viewer: { id: 'a', label: 'a' }, watermark: 'forensic' }],
  ['a label of nobody', { viewer: { label: 'a' } }],
  ['an empty label', { viewer: { id: 'a', label: '' } }],
  ['a label that nobody sees', { viewer: { id: 'a', label: '\u200b \u2003' } }],
  ['a label on two lines', { viewer: { id: 'a', label: 'a\nb' } }],
  ['half a character as label', { viewer: { id: 'a', label: 'a\ud800' } }],
  ['a label of 129 characters', { viewer: { id: 'a', label: '\u{1f600}'.repeat(129) } }],
  ['29 seconds', { expiresInSec: 29 }],
  ['301 seconds', { expiresInSec: 301 }],
])('a policy with %s is refused', (_name, policy) => expect(playbackPolicy.safeParse(policy).success).toBe(false))

test('an id has one Unicode form, so that a person is one viewer whatever wrote it', () => {
  expect(playbackPolicy.parse({ viewer: { id: 'Zoe\u0308' } }).viewer?.id).toBe('Zoë')
})

test.each(['a', 'ada@example.com', 'Zoë 👩‍🏫', '李雷', 'نرگس‌ها', '—'])('the label %j is accepted', (label) => {
  expect(playbackPolicy.safeParse({ viewer: { id: 'a', label }, watermark: 'visible' }).success).toBe(true)
})

test('a policy offers the qualities up to its height, and the lowest one in any case', () => {
  const all = ['1080p', '720p', '480p']
  expect([...offeredQualities(all, {})]).toEqual(all)
  expect([...offeredQualities(all, { maxHeight: 720 })]).toEqual(['720p', '480p'])
  expect([...offeredQualities(all, { maxHeight: 719 })]).toEqual(['480p'])
  expect([...offeredQualities(all, { maxHeight: 100 })]).toEqual(['480p'])
})
