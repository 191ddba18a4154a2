import { expect, it } from 'vitest'
import { testDatabase } from '#server/testing/database'
import { makeAccount, makeKey, makeMember } from '#server/testing/make'
import { cookieFor } from '#server/testing/sign-in'
import { asFile } from '../../_as-file'
import { GET } from './route'

await testDatabase()

const ask = (format: string, query = '', cookie = '', signal: AbortSignal | null = null) =>
  GET(new Request(`http://reelgate.test/api/audit/${format}${query}`, { headers: { cookie }, signal }), {
    params: Promise.resolve({ format }),
  })

it('returns the account’s log as a file to a member and to no other user', async () => {
  const [mine, theirs] = [await makeAccount(), await makeAccount()]
  await makeKey(mine, { name: 'My own' })
  await makeKey(theirs, { name: 'Their own' })
  const cookie = await cookieFor(await makeMember(mine, 'VIEWER'))

  const csv = await ask('csv', '', cookie)
  expect(csv.headers.get('content-disposition')).toBe('attachment; filename="audit-log.csv"')
  expect(csv.headers.get('cache-control')).toBe('no-store')
  const text = await csv.text()
  expect(text).toContain('My own')
  expect(text).not.toContain('Their own')

  const json = await ask('json', '?action=key.create', cookie)
  expect(json.headers.get('content-type')).toMatch(/^application\/json/)
  expect(await json.json()).toMatchObject([{ action: 'key.create', subject: { name: 'My own' } }])
  expect(await (await ask('json', '?action=key.revoke', cookie)).json()).toEqual([])
})

it('serves four files of an account at once, each until it has ended or its reader has left', async () => {
  const [mine, theirs] = [await makeAccount(), await makeAccount()]
  const cookie = await cookieFor(mine)
  const left = new AbortController()
  const signal = left.signal
  const [whole, cancelled, unread] = [await ask('csv', '', cookie), await ask('csv', '', cookie), await ask('csv', '', cookie, signal)]
  const open = await ask('csv', '', cookie)
  const refused = await ask('csv', '', cookie)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10'])
  expect(await refused.text()).toMatch(/^This account has too many/)
  expect((await ask('csv', '', await cookieFor(theirs))).status).toBe(200)
  await whole.text()
  await cancelled.body?.cancel()
  left.abort()
  const next = [await ask('csv', '', cookie), await ask('csv', '', cookie), await ask('csv', '', cookie)]
  expect(next.map(({ status }) => status)).toEqual([200, 200, 200])
  expect((await ask('csv', '', cookie)).status).toBe(429)
  for (const one of [unread, open, ...next]) await one.body?.cancel()
})

it('holds no place for a request without a body, and for a reader who left before the file began', async () => {
  const mine = await makeAccount()
  const never = async function* () {
    yield ''
  }
  for (const init of [{ method: 'HEAD' }, { signal: AbortSignal.abort() }])
    for (let at = 0; at < 5; at++) expect(asFile(new Request('http://reelgate.test/', init), mine, never(), {}).status).toBe(200)
})

it('reads a piece of a file when its reader has taken the one before it', async () => {
  let read = 0
  async function* pieces() {
    while (read < 3) yield String(++read)
  }
  const file = asFile(new Request('http://reelgate.test/'), await makeAccount(), pieces(), {})
  await new Promise(setImmediate)
  expect(read).toBe(0)
  const reader = file.body?.getReader()
  await reader?.read()
  await new Promise(setImmediate)
  expect(read).toBe(1)
  await reader?.cancel()
})

it.each([
  ['no session', 'csv', '', false, 401],
  ['a format there is not', 'xml', '', true, 404],
  ['days that are none', 'csv', '?from=yesterday', true, 400],
  ['the last day before the first', 'csv', '?from=2026-02-02&to=2026-02-01', true, 400],
] as const)('refuses %s', async (_, format, query, signedIn, status) => {
  const cookie = signedIn ? await cookieFor(await makeAccount()) : ''
  expect((await ask(format, query, cookie)).status).toBe(status)
})
