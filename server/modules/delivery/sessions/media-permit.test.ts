import { beforeAll, describe, expect, it } from 'vitest'
import { stopServiceNow } from '../../../testing/service-now.ts'
import { provide } from '../../../testing/settings.ts'
import { checkKeyUrl, keyQuery, keyUrl } from '../segments/key-url.ts'
import { masterPlaylistUrl, mintSession, verifyMediaPermit } from './media-permit.ts'

provide({
  BASE_URL: 'http://localhost',
  CDN_URL: 'https://cdn.example/',
  REELGATE_SECRET: 'a secret for tests, long enough to be one',
})

const BEGIN = Math.floor(Date.now() / 1_000) * 1_000 + 500
/** Stops the service's clock `seconds` after the beginning. */
const setClock = (seconds: number) => stopServiceNow(BEGIN + seconds * 1_000)
beforeAll(() => setClock(0))
const code = (check: () => void): string => {
  try {
    check()
    return 'accepted'
  } catch (error) {
    return (error as { code: string }).code
  }
}
const session = (videoId: string, expiresAt: number) =>
  mintSession(videoId, { expiresAt, renewableUntil: expiresAt, opening: { number: 7, tokenId: 'tok_a' } })
const inSeconds = (seconds: number) => Math.floor(BEGIN / 1_000) + seconds

describe('a permit', () => {
  it('permits its own video until it expires', () => {
    const permit = session('vid_a', inSeconds(60))
    expect(code(() => verifyMediaPermit('vid_a', permit, 'session'))).toBe('accepted')
    expect(code(() => verifyMediaPermit('vid_b', permit, 'session'))).toBe('PLAYBACK_TOKEN_INVALID')
    setClock(61)
    expect(code(() => verifyMediaPermit('vid_a', permit, 'session'))).toBe('PLAYBACK_TOKEN_EXPIRED')
    expect(code(() => verifyMediaPermit('vid_b', permit, 'session'))).toBe('PLAYBACK_TOKEN_INVALID')
    setClock(0)
  })

  it('is invalid with any character changed', () => {
    const permit = session('vid_a', inSeconds(60))
    for (let at = 0; at < permit.length; at++) {
      for (const other of ['0', 'A', 'z', '_']) {
        if (permit[at] === other) continue
        const changed = permit.slice(0, at) + other + permit.slice(at + 1)
        expect(code(() => verifyMediaPermit('vid_a', changed, 'session'))).toBe('PLAYBACK_TOKEN_INVALID')
      }
    }
  })

  it.each(['', '-', 'x', '../../../..', '0'.repeat(500), `zzzzzzzzzzzz-${'A'.repeat(22)}`])('%j is invalid', (permit) => {
    expect(code(() => verifyMediaPermit('vid_a', permit, 'session'))).toBe('PLAYBACK_TOKEN_INVALID')
  })

  it.each([
    ['a short video', 60, 6 * 3_600],
    ['an evening of six hours', 6 * 3_600, 12 * 3_600],
  ])('outlives %s', (_name, durationSec, lifetime) => {
    const { url, sessionExpiresAt } = masterPlaylistUrl('vid_a', durationSec)
    const [, permit = ''] = /^https:\/\/cdn\.example\/cdn\/hls\/vid_a\/([^/]+)\/master\.m3u8$/.exec(url) ?? []
    expect(code(() => verifyMediaPermit('vid_a', permit, 'session'))).toBe('accepted')
    expect(Math.abs(sessionExpiresAt.getTime() / 1_000 - inSeconds(lifetime))).toBeLessThan(5)
    setClock(lifetime - 5)
    expect(code(() => verifyMediaPermit('vid_a', permit, 'session'))).toBe('accepted')
    setClock(lifetime + 5)
    expect(code(() => verifyMediaPermit('vid_a', permit, 'session'))).toBe('PLAYBACK_TOKEN_EXPIRED')
    setClock(0)
  })
})

describe('a key URL', () => {
  const parts = (address: string) => keyQuery(new URL(address).searchParams)

  it('permits its own video for five minutes', () => {
    const address = keyUrl('vid_a')
    expect(address).toMatch(/^https:\/\/cdn\.example\/cdn\/keys\/vid_a\?exp=\d+&session=0&sig=[\w-]{22}$/)
    expect(code(() => checkKeyUrl('vid_a', parts(address)))).toBe('accepted')
    expect(code(() => checkKeyUrl('vid_b', parts(address)))).toBe('PLAYBACK_TOKEN_INVALID')
    setClock(295)
    expect(code(() => checkKeyUrl('vid_a', parts(address)))).toBe('accepted')
    setClock(301)
    expect(code(() => checkKeyUrl('vid_a', parts(address)))).toBe('PLAYBACK_TOKEN_EXPIRED')
    setClock(0)
  })

  it('names its stream, which cannot be changed or left out', () => {
    const given = parts(keyUrl('vid_a', { number: 7, tokenId: 'tok_a', policy: 'sealed' }, '480p'))
    expect(code(() => checkKeyUrl('vid_a', given))).toBe('accepted')
    for (const changed of [
      ...['720p', '', null, 'audio-0'].map((stream) => ({ stream })),
      { policy: 'sealed.480p', stream: null },
      { policy: null, stream: 'sealed.480p' },
    ])
      expect(code(() => checkKeyUrl('vid_a', { ...given, ...changed }))).toBe('PLAYBACK_TOKEN_INVALID')
  })

  it('cannot be extended, and is invalid without its signature', () => {
    const { exp, session, sig } = parts(keyUrl('vid_a', { number: 7, tokenId: 'tok_a' }))
    const later = String(Number(exp) + 1)
    for (const given of [
      { exp: later, session, sig },
      { exp, session, sig: null },
      { exp: null, session, sig },
      { exp: `${exp}.0`, session, sig },
      { exp: ` ${exp}`, session, sig },
      { exp, session, sig: '' },
      { exp, session: null, sig },
      { exp, session: '8-tok_a', sig },
      { exp, session: '7', sig },
      { exp, session: '7-tok_b', sig },
    ]) {
      expect(code(() => checkKeyUrl('vid_a', { ...given, until: null }))).toBe('PLAYBACK_TOKEN_INVALID')
    }
  })

  it('names the end of its session, which cannot be changed or moved to another session', () => {
    const session = (number: number, tokenId: string) => ({ number, tokenId, expiresAt: Math.floor(inSeconds(3_600)) })
    const given = parts(keyUrl('vid_a', session(7, 'tok_a')))
    expect(checkKeyUrl('vid_a', given)).toMatchObject({
      inTime: true,
      session: { id: '7-tok_a', expiresAt: session(7, 'tok_a').expiresAt },
    })
    const until = given.until as string
    for (const changed of [String(Number(until) + 1), ` ${until}`, `${until}.0`, '', null]) {
      expect(code(() => checkKeyUrl('vid_a', { ...given, until: changed }))).toBe('PLAYBACK_TOKEN_INVALID')
    }
    expect(code(() => checkKeyUrl('vid_a', { ...given, session: '8-tok_a' }))).toBe('PLAYBACK_TOKEN_INVALID')
  })

  it('is expired when both it and its session are', () => {
    const given = parts(keyUrl('vid_a', { number: 7, tokenId: 'tok_a', expiresAt: Math.floor(inSeconds(3_600)) }))
    setClock(301)
    expect(checkKeyUrl('vid_a', given)).toMatchObject({ inTime: false, session: { id: '7-tok_a' } })
    setClock(3_601)
    expect(code(() => checkKeyUrl('vid_a', given))).toBe('PLAYBACK_TOKEN_EXPIRED')
    setClock(0)
  })
})
