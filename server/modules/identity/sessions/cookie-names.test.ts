import { expect, it } from 'vitest'
import { provide } from '../../../testing/settings.ts'
import { deviceCookieName } from '../sign-in/known-device.ts'
import { cookieIn, nextAuthCookies, sessionCookieName } from './cookies.ts'

const namesAt = (url: string) => {
  provide({ BASE_URL: url })
  return [...Object.values(nextAuthCookies()).map(({ name }) => name), deviceCookieName()]
}

it.each([
  ['https://video.example.com', '__Host-next-auth.session-token'],
  ['http://localhost', 'next-auth.session-token'],
  ['http://localhost:3000', 'next-auth-3000.session-token'],
  ['https://192.168.1.20:8443', '__Host-next-auth-8443.session-token'],
  ['http://[::1]:3000', 'next-auth-3000.session-token'],
])('the session of %s is in %s', (url, name) => {
  provide({ BASE_URL: url })
  expect(sessionCookieName()).toBe(name)
})

it('no cookie has the name of one of another port, nor begins with it', () => {
  const names = ['', ':80', ':3000', ':3001', ':30000', ':3'].flatMap((port) => (port === ':80' ? [] : namesAt(`http://localhost${port}`)))
  expect(new Set(names).size).toBe(names.length)
  for (const name of names) expect(names.filter((other) => other !== name && other.startsWith(name))).toEqual([])
})

it('reads a cookie among those of other ports', () => {
  const header = 'next-auth-3000.session-token=a=b; next-auth.session-token=c;x-next-auth.session-token=d'
  expect(cookieIn(header, 'next-auth.session-token')).toBe('c')
  expect(cookieIn(header, 'next-auth-3000.session-token')).toBe('a=b')
  expect(cookieIn(header, 'token')).toBeUndefined()
  expect(cookieIn(undefined, 'token')).toBeUndefined()
})
