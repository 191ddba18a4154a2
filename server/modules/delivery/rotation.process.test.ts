import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { env } from '../../platform/config/config.ts'
import { send } from '../../testing/client.ts'
import { testDatabase } from '../../testing/database.ts'
import { makeAccount, makeKey, makeVideo } from '../../testing/make.ts'
import { startWebProcess, type WebProcess } from '../../testing/services/web-process.ts'
import { provide } from '../../testing/settings.ts'

await testDatabase()
const secret = (kid: string) => `${kid}:the secret of the kid ${kid}, long enough to sign with`.replaceAll(',', '')
const OLD = secret('old')
const NEW = secret('new')

let key: string
let videoId: string
beforeAll(async () => {
  const owner = await makeAccount()
  key = (await makeKey(owner)).value
  videoId = await makeVideo(owner)
})

async function issue({ url }: WebProcess): Promise<string> {
  const { body } = await send(`${url}/v1/video/${videoId}/playback-token`, { method: 'POST', headers: { 'x-service-key': key } })
  return JSON.parse(body).data.token
}

const kidOf = (token: string) => JSON.parse(Buffer.from(token.slice(3).split('.')[0] as string, 'base64url').toString()).kid

/** Returns the error code of an exchange, undefined when it succeeds. */
async function exchange({ url }: WebProcess, token: string): Promise<string | undefined> {
  return JSON.parse((await send(`${url}/v1/video/playback/manifest/${token}`)).body).error?.code
}

describe('rotation of the secrets of playback tokens', () => {
  /** The successive deployments; adjacent ones run concurrently while replicas are replaced. */
  const STEPS = [
    { secrets: OLD, signs: 'old' },
    { secrets: `${OLD},${NEW}`, signs: 'old' },
    { secrets: `${NEW},${OLD}`, signs: 'new' },
    { secrets: NEW, signs: 'new' },
  ]

  test('refuses no token when the new secret first verifies everywhere, then signs, and then the old one is removed', async () => {
    const processes = await Promise.all(STEPS.map(({ secrets }) => startWebProcess({ settings: { PLAYBACK_TOKEN_SECRETS: secrets } })))
    const tokens = await Promise.all(processes.map(issue))
    expect(tokens.map(kidOf)).toEqual(STEPS.map(({ signs }) => signs))
    const accepted = await Promise.all(
      processes.map((process) => Promise.all(tokens.map(async (token) => !(await exchange(process, token))))),
    )
    // One row per deployment, one column for the tokens of each.
    expect(accepted).toEqual([
      [true, true, false, false],
      [true, true, true, true],
      [true, true, true, true],
      [false, false, true, true],
    ])
    expect(await exchange(processes[3] as WebProcess, tokens[0] as string)).toBe('PLAYBACK_TOKEN_INVALID')
  })

  test('rejects tokens of the first secret of a kid that is reused with another secret', async () => {
    const [before, after] = await Promise.all(
      [OLD, 'old:a secret with the same kid and nothing else in common'].map((secrets) =>
        startWebProcess({ settings: { PLAYBACK_TOKEN_SECRETS: secrets } }),
      ),
    )
    const token = await issue(before as WebProcess)
    expect(await exchange(after as WebProcess, token)).toBe('PLAYBACK_TOKEN_INVALID')
    expect(await exchange(before as WebProcess, token)).toBeUndefined()
  })

  test('without PLAYBACK_TOKEN_SECRETS derives the same secret in every process with the root secret', async () => {
    const [one, other, stranger] = await Promise.all([
      startWebProcess(),
      startWebProcess(),
      startWebProcess({ settings: { REELGATE_SECRET: 'the root secret of another installation' } }),
    ])
    const token = await issue(one as WebProcess)
    expect(kidOf(token)).toBe('default')
    expect(await exchange(other as WebProcess, token)).toBeUndefined()
    expect(await exchange(stranger as WebProcess, token)).toBe('PLAYBACK_TOKEN_INVALID')
  })
})

describe('PLAYBACK_TOKEN_SECRETS', () => {
  afterEach(() => provide({ PLAYBACK_TOKEN_SECRETS: '' }))

  test.each([
    ['a kid twice: which one would verify?', `${OLD},old:another secret that is long enough to sign`],
    ['a secret too short to sign with', 'old:short'],
    ['no secret', 'old'],
    ['no kid', `:${'x'.repeat(40)}`],
    ['a kid that is no word', `o/ld:${'x'.repeat(40)}`],
    ['an empty item', `${OLD},`],
  ])('is refused for %s', (_why, value) => {
    provide({ PLAYBACK_TOKEN_SECRETS: value })
    expect(() => env()).toThrow(/PLAYBACK_TOKEN_SECRETS/)
    expect(() => env()).not.toThrow(/long enough|x{40}|short/)
  })

  test('accepts a secret that contains colons', () => {
    provide({ PLAYBACK_TOKEN_SECRETS: `${OLD}, new:a:b:c and enough more to make it a secret` })
    expect(env().PLAYBACK_TOKEN_SECRETS?.map(({ kid, secret }) => `${kid}:${secret}`)).toEqual([
      OLD,
      'new:a:b:c and enough more to make it a secret',
    ])
  })
})
