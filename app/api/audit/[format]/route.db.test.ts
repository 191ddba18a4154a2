import { expect, it } from 'vitest'
import { testDatabase } from '#server/testing/database'
import { makeAccount, makeKey, makeMember } from '#server/testing/make'
import { cookieFor } from '#server/testing/sign-in'
import { GET } from './route'

await testDatabase()

const ask = (format: string, query = '', cookie = '') =>
  GET(new Request(`http://reelgate.test/api/audit/${format}${query}`, { headers: { cookie } }), { params: Promise.resolve({ format }) })

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

it.each([
  ['no session', 'csv', '', false, 401],
  ['a format there is not', 'xml', '', true, 404],
  ['days that are none', 'csv', '?from=yesterday', true, 400],
  ['the last day before the first', 'csv', '?from=2026-02-02&to=2026-02-01', true, 400],
] as const)('refuses %s', async (_, format, query, signedIn, status) => {
  const cookie = signedIn ? await cookieFor(await makeAccount()) : ''
  expect((await ask(format, query, cookie)).status).toBe(status)
})
