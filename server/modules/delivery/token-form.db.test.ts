import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { encode } from 'next-auth/jwt'
import { describe, expect, test } from 'vitest'
import { send } from '../../testing/client.ts'
import { attackedServer, forged, INVALID, NOW, parts, SECRET, token } from '../../testing/forged-tokens.ts'
import { sessionSecret } from '../identity/sessions/session.ts'

const { baseUrl, exchange, expectRefused, tryAll } = await attackedServer()

/** Returns the same bits with other values in the bits that a decoder ignores. */
function respelled(text: string, by: number): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const last = alphabet.indexOf(text.at(-1) as string)
  const spelled = text.slice(0, -1) + alphabet[last ^ by]
  expect(Buffer.from(spelled, 'base64url')).toEqual(Buffer.from(text, 'base64url'))
  return spelled
}

tryAll('the form', [
  ['no prefix', () => token().slice(3)],
  ['prefix twice', () => `pt_${token()}`],
  ['prefix in capitals', () => `PT_${token().slice(3)}`],
  ['prefix half in capitals', () => `Pt_${token().slice(3)}`],
  ['prefix with a dash', () => `pt-${token().slice(3)}`],
  ['prefix of a key', () => `ak_live_${token().slice(3)}`],
  ['prefix in full-width letters', () => `ｐｔ_${token().slice(3)}`],
  ['Bearer before it', () => `Bearer ${token()}`],
  ['the prefix alone', () => 'pt_'],
  ['two dots alone', () => 'pt_..'],
  ['no signature', () => parts((header, payload) => `pt_${header}.${payload}`)],
  ['an empty signature', () => parts((header, payload) => `pt_${header}.${payload}.`)],
  ['an empty payload', () => parts((header, _payload, signature) => `pt_${header}..${signature}`)],
  ['an empty header', () => parts((_header, payload, signature) => `pt_.${payload}.${signature}`)],
  ['a dot at the end', () => `${token()}.`],
  ['a fourth part', () => `${token()}.AAAA`],
  ['five parts, as a JWE has', () => parts((header, payload, signature) => `pt_${header}.${payload}.${payload}.${payload}.${signature}`)],
  ['a last character cut off', () => token().slice(0, -1)],
  ['half of it', () => token().slice(0, token().length / 2)],
  ['a first character cut off the header', () => `pt_${token().slice(4)}`],
  [
    'signature with one bit changed',
    () => parts((header, payload, signature) => `pt_${header}.${payload}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`),
  ],
  ['signature in capitals', () => parts((header, payload, signature) => `pt_${header}.${payload}.${signature.toUpperCase()}`)],
  ['signature of zeros', () => token({ signature: 'A'.repeat(43) })],
  ['signature twice', () => parts((header, payload, signature) => `pt_${header}.${payload}.${signature}${signature}`)],
  [
    'signature of another video’s token',
    () => token({ signature: token({ claims: { videoId: forged.otherVideoId } }).split('.')[2] }),
    () => token({ claims: { videoId: forged.otherVideoId } }),
  ],
  [
    'payload for another video under the same signature',
    () => token({ claims: { videoId: forged.otherVideoId }, signature: token().split('.')[2] }),
    () => token({ claims: { videoId: forged.otherVideoId } }),
  ],
  ['a later expiry under the same signature', () => token({ claims: { exp: NOW + 3_000 }, signature: token().split('.')[2] })],
  ['padding after the signature', () => `${token()}=`],
  ['padding after the payload', () => parts((header, payload, signature) => `pt_${header}.${payload}==.${signature}`)],
  [
    'signature respelled in its unused bits',
    () => parts((header, payload, signature) => `pt_${header}.${payload}.${respelled(signature, 1)}`),
  ],
  [
    'signature respelled in the other bit',
    () => parts((header, payload, signature) => `pt_${header}.${payload}.${respelled(signature, 2)}`),
  ],
  ['signature respelled in both bits', () => parts((header, payload, signature) => `pt_${header}.${payload}.${respelled(signature, 3)}`)],
  [
    'signature in standard base64',
    () =>
      token({
        claims: { jti: 'x1' },
        signature: (signed) => `+/${createHmac('sha256', SECRET).update(signed).digest('base64url').slice(2)}`,
      }),
    () => token({ claims: { jti: 'x1' } }),
  ],
  ['a space before it', () => ` ${token()}`],
  ['a space after it', () => `${token()} `],
  ['a newline after it', () => `${token()}\n`],
  ['a carriage return after it', () => `${token()}\r`],
  ['a newline inside', () => token().replace('.', '.\n')],
  ['a tab inside', () => token().replace('.', '\t.')],
  ['a NUL after it', () => `${token()}\0`],
  ['a zero-width space inside', () => token().replace('.', '\u200b.')],
  ['a full-width dot', () => token().replace('.', '．')],
  ['an Arabic digit', () => `${token().slice(0, -2)}٠${token().at(-1)}`],
  ['a byte order mark before it', () => `\ufeff${token()}`],
  ['percent-encoded twice', () => encodeURIComponent(token()).replace('.', '%2E')],
  ['quotes around it', () => `"${token()}"`],
  ['a semicolon and more', () => `${token()};x=1`],
  ['a comma and itself', () => `${token()},${token()}`],
  ['a slash and itself', () => `${token()}/${token()}`],
  ['JSON serialisation, flattened', () => parts((header, payload, signature) => JSON.stringify({ payload, protected: header, signature }))],
  [
    'JSON serialisation, general',
    () => parts((header, payload, signature) => JSON.stringify({ payload, signatures: [{ protected: header, signature }] })),
  ],
  [
    'JSON serialisation after the prefix',
    () => parts((header, payload, signature) => `pt_${JSON.stringify({ payload, protected: header, signature })}`),
  ],
  ['huge payload, well signed', () => token({ claims: { note: 'x'.repeat(2_000) } })],
  ['huge header, well signed', () => token({ header: { note: 'x'.repeat(2_000) } })],
  ['huge signature', () => `${token()}${'A'.repeat(8_000)}`],
  ['8,000 dots', () => `pt_${'.'.repeat(8_000)}`],
])

describe('around the token', () => {
  const cases: [string, (path: string) => string, string][] = [
    ['another video asked for', (path) => `${path}?videoId=${forged.otherVideoId}`, INVALID],
    ['another video asked for, and then ours', (path) => `${path}?videoId=${forged.otherVideoId}&videoId=`, INVALID],
    ['an empty video asked for', (path) => `${path}?videoId=`, INVALID],
    ['the prefix of the video asked for', (path) => `${path}?videoId=${forged.videoId.slice(0, -1)}`, INVALID],
  ]
  test.each(cases)('%s', async (_name, asked, code) => {
    await expectRefused(asked(token()), code)
    expect((await exchange(`${token()}?videoId=${forged.videoId}`)).status).toBe(200)
  })

  test('a token in the query, a header or a cookie is ignored', async () => {
    const { status } = await send(`${baseUrl}/v1/video/playback/manifest/x?token=${token()}`, {
      headers: { authorization: `Bearer ${token()}`, cookie: `token=${token()}`, 'x-playback-token': token() },
    })
    expect(status).toBe(401)
  })

  test('a dashboard session is no playback token', async () => {
    const session = await encode({
      token: { videoId: forged.videoId, iss: 'reelgate', aud: 'playback', jti: 'x' },
      secret: sessionSecret(),
    })
    await expectRefused(session, INVALID)
    await expectRefused(`pt_${session}`, INVALID)
  })

  test('percent-encoding alone changes nothing: the URL is equivalent', async () => {
    const spelled = [...token()].map((character) => `%${character.charCodeAt(0).toString(16)}`).join('')
    expect((await exchange(spelled)).status).toBe(200)
  })
})

test('10,000 modifications of a valid token are all refused as invalid', async () => {
  const good = token()
  const character = fc.constantFrom(
    ...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_',
    '.',
    '=',
    '%',
    '+',
    '/',
    ' ',
    'é',
    '\0',
  )
  const position = fc.nat(good.length - 1)
  const edit = fc.oneof(
    fc.tuple(position, character).map(
      ([at, one]) =>
        (text: string) =>
          text.slice(0, at) + one + text.slice(at + 1),
    ),
    fc.tuple(position, character).map(
      ([at, one]) =>
        (text: string) =>
          text.slice(0, at) + one + text.slice(at),
    ),
    position.map((at) => (text: string) => text.slice(0, at) + text.slice(at + 1)),
    position.map((at) => (text: string) => text.slice(0, at)),
    fc.tuple(position, position).map(
      ([a, b]) =>
        (text: string) =>
          text.slice(0, a) + text.slice(b),
    ),
    fc.tuple(position, position).map(([a, b]) => (text: string) => {
      const swapped = [...text]
      ;[swapped[a], swapped[b]] = [swapped[b] as string, swapped[a] as string]
      return swapped.join('')
    }),
    fc.shuffledSubarray([0, 1, 2]).map((order) => (text: string) => `pt_${order.map((part) => text.slice(3).split('.')[part]).join('.')}`),
  )
  const changed = fc.array(edit, { minLength: 1, maxLength: 3 }).map((edits) => edits.reduce((text, one) => one(text), good))
  const tokens = fc.sample(
    changed.filter((text) => text !== good),
    10_000,
  )
  const answers: Record<string, number> = {}
  await Promise.all(
    tokens.map(async (text) => {
      const { status, body } = await exchange(encodeURIComponent(text))
      const answer = `${status} ${JSON.parse(body).error?.code}`
      answers[answer] = (answers[answer] ?? 0) + 1
    }),
  )
  // An empty last segment is another path.
  const { '404 NOT_FOUND': elsewhere = 0, ...rest } = answers
  expect(rest).toEqual({ [`401 ${INVALID}`]: 10_000 - elsewhere })
  expect(elsewhere).toBe(tokens.filter((text) => text === '').length)
  expect((await exchange(good)).status).toBe(200)
})
