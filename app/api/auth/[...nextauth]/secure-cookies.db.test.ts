import { expect, it } from 'vitest'
import { sessionCookie } from '#server/modules/identity/sessions/session'
import { deviceCookie } from '#server/modules/identity/sign-in/known-device'
import { authRoute } from '#server/testing/auth-route'
import { testDatabase } from '#server/testing/database'
import { provide } from '#server/testing/settings'
import * as route from './route'

await testDatabase()

it('every cookie of a service behind https is sent over https alone and is bound to its host', async () => {
  provide({ BASE_URL: 'https://video.example.com' })
  const request = new Request('https://video.example.com/api/auth/csrf', {
    headers: { host: 'video.example.com', 'x-forwarded-proto': 'https' },
  })
  const lines = [
    ...(await authRoute(route)(request)).headers.getSetCookie(),
    await sessionCookie('ses_ofthistest'),
    deviceCookie(undefined, 'ada@example.com'),
  ]
  expect(lines.length).toBeGreaterThanOrEqual(4)
  for (const line of lines) {
    expect(line).toMatch(/; Secure(?:;|$)/)
    expect(line).toMatch(/; HttpOnly(?:;|$)/i)
    expect(line).toMatch(/; SameSite=Lax(?:;|$)/i)
    expect(line).toMatch(/^__(?:Host|Secure)-/)
    if (line.startsWith('__Host-')) expect(line).toMatch(/; Path=\/(?:;|$)/)
    expect(line).not.toMatch(/; Domain=/i)
  }
  expect(lines.map((line) => line.split('=')[0])).toEqual(
    expect.arrayContaining(['__Host-next-auth.session-token', '__Host-reelgate.device', '__Host-next-auth.csrf-token']),
  )
})

it('every cookie of a service on a port of its own is named after the port, which browsers ignore', async () => {
  provide({ BASE_URL: 'http://localhost:3100' })
  const request = new Request('http://localhost:3100/api/auth/csrf', { headers: { host: 'localhost:3100' } })
  const answer = await authRoute(route)(request)
  const names = [...answer.headers.getSetCookie(), await sessionCookie('ses_ofthistest'), deviceCookie(undefined, 'ada@example.com')]
  expect(names.map((line) => line.split('=')[0]).sort()).toEqual([
    'next-auth-3100.callback-url',
    'next-auth-3100.csrf-token',
    'next-auth-3100.session-token',
    'reelgate-3100.device',
  ])
})
