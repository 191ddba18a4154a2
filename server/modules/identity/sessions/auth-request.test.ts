import { beforeEach, expect, it } from 'vitest'
import { provide } from '../../../testing/settings.ts'
import { refuseAuthRequest } from './auth-request.ts'

const address = 'http://localhost:3000/api/auth/x'
const form = { 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' }
const post = (headers: Record<string, string>) =>
  new Request(address, { method: 'POST', headers: { 'content-length': '3', ...headers }, body: 'a=b' })
const get = (cookie = '') => new Request(address, { headers: { cookie } })

beforeEach(() => provide({ BASE_URL: 'http://localhost' }))

it.each([
  ['a form', post(form), 'callback'],
  ['asking for a token', get(), 'csrf'],
  ['cookies as next-auth sets them', get('a=b; next-auth.callback-url=http%3A%2F%2Flocalhost%3A3390; c=d'), 'csrf'],
  ["another port's cookie", get('next-auth-3000.callback-url=javascript:alert'), 'csrf'],
  ['a path to return to', get('next-auth.callback-url=%2Fvideos'), 'session'],
])('lets %s through', async (_, request, action) => {
  expect(await refuseAuthRequest(request, [action])).toBeUndefined()
})

it.each([
  ['JSON', post({ 'content-type': 'application/json' }), 'callback', 415],
  ['a form with files', post({ 'content-type': 'multipart/form-data; boundary=a' }), 'signout', 415],
  ['no type', new Request(address, { method: 'POST' }), '_log', 415],
  ['signing in by GET', get(), 'callback', 405],
  ['a cookie that is no address', get('a=b; next-auth.callback-url=javascript:alert'), 'csrf', 400],
  ['a cookie that cannot be decoded', get('next-auth.callback-url=%'), 'csrf', 400],
  ['a form that is larger than ours', post({ ...form, 'content-length': '16385' }), 'callback', 413],
  ['a form of unknown size', new Request(address, { method: 'POST', headers: form }), 'callback', 413],
  ['an action that there is not', get(), 'nothing', 404],
  ['an empty cookie', get('next-auth.callback-url='), 'csrf', 400],
])('refuses %s', async (_, request, action, status) => {
  expect((await refuseAuthRequest(request, [action]))?.status).toBe(status)
})

it('removes the damaged cookie, so that the next request works', async () => {
  provide({ BASE_URL: 'https://video.example.com' })
  expect((await refuseAuthRequest(get('__Secure-next-auth.callback-url=x'), ['csrf']))?.headers.get('set-cookie')).toBe(
    '__Secure-next-auth.callback-url=; Path=/; Max-Age=0; Secure',
  )
})
