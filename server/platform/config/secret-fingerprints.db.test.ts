import { beforeEach, expect, test } from 'vitest'
import { testDatabase } from '../../testing/database.ts'
import { provide, renew } from '../../testing/settings.ts'
import { query } from '../database/database.ts'
import { processRegistry } from '../process-registry.ts'
import { checkSecrets, FINGERPRINTS } from './secret-fingerprints.ts'

await testDatabase()
const OLD = 'the root secret that an installation began with'
const NEW = 'another root secret, which takes over from the first'
const [ONE, TWO] = ['the first of two secrets of a ring of keys', 'the second of two secrets of a ring of keys']

type Given = Partial<Record<'REELGATE_SECRET' | 'REELGATE_SECRET_PREVIOUS' | 'MASTER_KEYS' | 'PLAYBACK_TOKEN_SECRETS', string>>

/** Checks as a process that starts with these secrets does; resolves with `ok` or with the setting that the refusal names. */
async function startWith(given: Given): Promise<string> {
  provide({ REELGATE_SECRET: OLD, REELGATE_SECRET_PREVIOUS: '', MASTER_KEYS: '', PLAYBACK_TOKEN_SECRETS: '', ...given })
  renew('derivedKeys', 'masterKeys', 'playbackTokenSecrets')
  return checkSecrets({ adopt: true }).then(
    () => 'ok',
    (error: Error) => error.message.split(' ', 1)[0] as string,
  )
}

beforeEach(async () => {
  await query('forget', 'UPDATE installation SET root_fingerprint = NULL, master_fingerprint = NULL, token_fingerprint = NULL', [])
  await query('alone', 'DELETE FROM process', [])
})

test('another root secret than that of the data is refused, and changes nothing', async () => {
  expect(await startWith({})).toBe('ok')
  expect(await startWith({ REELGATE_SECRET: NEW })).toBe('REELGATE_SECRET')
  expect(await startWith({ REELGATE_SECRET: NEW, REELGATE_SECRET_PREVIOUS: 'a root secret that was never used here' })).toBe(
    'REELGATE_SECRET',
  )
  expect(await startWith({})).toBe('ok')
})

test('the root secret can be rotated, with processes of each step at the same time', async () => {
  const [prepared, rotated] = [{ REELGATE_SECRET_PREVIOUS: NEW }, { REELGATE_SECRET: NEW, REELGATE_SECRET_PREVIOUS: OLD }]
  for (const given of [{}, prepared, {}, prepared, rotated, prepared, rotated]) expect(await startWith(given)).toBe('ok')
  expect(await startWith({})).toBe('REELGATE_SECRET')
  expect(await startWith({ REELGATE_SECRET: NEW })).toBe('ok')
  expect(await startWith({})).toBe('REELGATE_SECRET')
})

test('a ring of master keys without the key that seals is refused; a rotation is accepted', async () => {
  expect(await startWith({})).toBe('ok')
  expect(await startWith({ MASTER_KEYS: `m1:${ONE}` })).toBe('ok')
  expect(await startWith({ MASTER_KEYS: `m2:${TWO}` })).toBe('MASTER_KEYS')
  expect(await startWith({})).toBe('MASTER_KEYS')
  expect(await startWith({ MASTER_KEYS: `m2:${TWO},m1:${ONE}` })).toBe('ok')
  expect(await startWith({ MASTER_KEYS: `m2:${TWO}` })).toBe('ok')
})

test('secrets of playback tokens may be replaced at once only while no other process serves', async () => {
  expect(await startWith({ PLAYBACK_TOKEN_SECRETS: `t1:${ONE}` })).toBe('ok')
  expect(await startWith({ PLAYBACK_TOKEN_SECRETS: `t2:${TWO}` })).toBe('ok')
  await processRegistry().join(['web'])
  expect(await startWith({ PLAYBACK_TOKEN_SECRETS: `t1:${ONE}` })).toBe('PLAYBACK_TOKEN_SECRETS')
  expect(await startWith({ PLAYBACK_TOKEN_SECRETS: `t2:${TWO},t1:${ONE}` })).toBe('ok')
  await processRegistry().leave()
})

test('of two processes that start on an empty database with other secrets, one is refused', async () => {
  provide({ REELGATE_SECRET: OLD, MASTER_KEYS: '', PLAYBACK_TOKEN_SECRETS: '' })
  renew('derivedKeys', 'masterKeys')
  const first = checkSecrets({ adopt: true })
  provide({ REELGATE_SECRET: NEW })
  renew('derivedKeys', 'masterKeys')
  const second = checkSecrets({ adopt: true })
  const ends = await Promise.allSettled([first, second])
  expect(ends.filter(({ status }) => status === 'rejected')).toHaveLength(1)
})

test('fingerprints reveal no secret', async () => {
  await startWith({ MASTER_KEYS: `m1:${ONE}`, PLAYBACK_TOKEN_SECRETS: `t1:${TWO}` })
  const [row] = await query<{ recorded: Record<string, string> }>('all', FINGERPRINTS, [])
  const form = expect.stringMatching(/^[\w-]{22}$/)
  expect(row?.recorded).toEqual({ root: form, master: form, token: form })
})
