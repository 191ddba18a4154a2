import { beforeAll, expect, it } from 'vitest'
import { nextAuthCookies, returnCookieName, sessionCookieName } from '#server/modules/identity/sessions/cookies'
import { authRoute } from '#server/testing/auth-route'
import { Browser } from '#server/testing/browser-jar'
import { dashboardHost } from '#server/testing/dashboard-host'
import { testDatabase } from '#server/testing/database'
import { provide } from '#server/testing/settings'
import * as route from './route'

await testDatabase()
let base: string
beforeAll(async () => {
  base = await dashboardHost({ '/api/auth/': authRoute(route) })
  // Nothing listens there.
  provide({ GITHUB_URL: 'http://127.0.0.1:9', GITHUB_CLIENT_ID: 'reelgate', GITHUB_CLIENT_SECRET: 'x'.repeat(40) })
})

const ACTIONS = [
  '',
  ...['session', 'csrf', 'signin', 'signout', 'error', 'verify-request', '_log', 'nothing', 'signin/github', 'signin/unknown'],
  ...['signin/__proto__', 'callback', 'callback/unknown', 'callback/github', 'callback/credentials', 'callback/github/more', '%00', '%ff'],
]
const ADDRESSES = [
  ...[
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    'evil.example',
    'http://',
    'javascript:alert(1)',
    'data:,x',
    '',
    '%',
    '%00',
  ],
  ...['http://[', 'https://evil.example:99999', `/${'a'.repeat(3_000)}`, '/%E0%A4%A', '/ok', '\u0000', 'http://user:pass@evil.example'],
]
const QUERIES = [
  ...ADDRESSES.map((address) => `callbackUrl=${encodeURIComponent(address)}`),
  ...['callbackUrl=/a&callbackUrl=https://evil.example', 'callbackUrl[]=/a', 'callbackUrl[a]=b', 'callbackUrl=%ff', 'callbackUrl=%'],
  ...[
    'error=a&error=b',
    'error[]=a',
    'error=%ff',
    `error=${'e'.repeat(3_000)}`,
    'json=true',
    'nextauth=signout',
    'code=x',
    'state=x',
    'code=x&state=x',
  ],
  ...['error=access_denied&state=x', 'code[]=x&state[]=y', 'csrf=true', '__proto__=x', '%', '&&&=', 'oauth_token=x'],
]
const FORMS = [
  ...ADDRESSES.map((address) => `csrfToken=CSRF&callbackUrl=${encodeURIComponent(address)}`),
  ...[
    '',
    'csrfToken=',
    'csrfToken=x',
    'csrfToken=x&csrfToken=y',
    'csrfToken[]=x',
    'csrfToken=CSRF',
    'csrfToken=CSRF&json=true',
    '%',
    '%ff=%ff',
    '=',
  ],
  ...['csrfToken=CSRF&email=&password=', 'csrfToken=CSRF&email[]=a&password[]=b', 'csrfToken=CSRF&email=a&email=b', 'csrfToken=CSRF&code='],
  ...[
    'csrfToken=CSRF&callbackUrl=/a&callbackUrl=https://evil.example',
    'level=fatal&code=x',
    'level=__proto__',
    'level=error&code=%00',
    'data=x',
  ],
  ...[
    'csrfToken=CSRF&email=%00&password=%00',
    'csrfToken=CSRF&email=%ff&password=%ff',
    `csrfToken=CSRF&email=a%40b.example&password=${'p'.repeat(9_000)}`,
  ],
]
const names = () => Object.values(nextAuthCookies() ?? {}).map((cookie) => (cookie as { name: string }).name)
const COOKIES = (): string[] => [
  ...[sessionCookieName(), returnCookieName(), ...names()].flatMap((name) =>
    [
      '',
      'x',
      '%',
      '%ff',
      '%00',
      '"',
      'a|b',
      '|',
      'https://evil.example',
      `${'x'.repeat(3_000)}`,
      'eyJhbGciOiJkaXIifQ....',
      '{}',
      'null',
    ].map((value) => `${name}=${value}`),
  ),
  ...['=', ';;;', '__proto__=x', `${sessionCookieName()}.0=a; ${sessionCookieName()}.1=b`, `${sessionCookieName()}.x=a`],
]

async function statusOf(browser: Browser, path: string, init?: RequestInit): Promise<string | undefined> {
  const answer = await browser.ask(path, { redirect: 'manual', ...init }).catch((error: Error) => error)
  const status = answer instanceof Error ? answer.message : answer.status
  const to = answer instanceof Error ? null : answer.headers.get('location')
  if (to && new URL(to, base).host !== new URL(base).host && !to.startsWith('http://127.0.0.1:9/')) return `${path} leads to ${to}`
  return typeof status === 'number' && status < 500
    ? undefined
    : `${init?.method ?? 'GET'} ${path} ${JSON.stringify(init?.body ?? init?.headers ?? '')}: ${status}`.slice(0, 200)
}

it('none of the addresses of sign-in fails, whatever the query', async () => {
  const failures: (string | undefined)[] = []
  for (const action of ACTIONS)
    for (const query of QUERIES) failures.push(await statusOf(new Browser(base), `/api/auth/${action}?${query}`))
  expect(failures.filter(Boolean)).toEqual([])
})

it('none fails, whatever the form', { tags: ['deep'] }, async () => {
  const failures: (string | undefined)[] = []
  for (const action of ACTIONS) {
    for (const form of FORMS) {
      const browser = new Browser(base)
      const { csrfToken } = (await (await browser.ask('/api/auth/csrf')).json()) as { csrfToken: string }
      const headers = { origin: base, 'content-type': 'application/x-www-form-urlencoded' }
      failures.push(await statusOf(browser, `/api/auth/${action}`, { method: 'POST', body: form.replace('CSRF', csrfToken), headers }))
    }
  }
  expect(failures.filter(Boolean)).toEqual([])
})

it('none fails, whatever the cookies', async () => {
  const failures: (string | undefined)[] = []
  for (const action of ['csrf', 'session', 'signin', 'signout', 'callback/github'])
    for (const cookie of COOKIES()) failures.push(await statusOf(new Browser(base), `/api/auth/${action}`, { headers: { cookie } }))
  expect(failures.filter(Boolean)).toEqual([])
})

it('refuses to lead to another host, and says so', async () => {
  const words = 'The callbackUrl parameter must be an address on this site. Open the sign-in page and try again.'
  const ask = async (url: string, path = 'signin', init?: RequestInit) => {
    const answer = await new Browser(base).ask(`/api/auth/${path}?callbackUrl=${encodeURIComponent(url)}`, init)
    return [answer.status, answer.headers.get('location') ?? (await answer.text())]
  }
  for (const url of ['https://evil.example/', '//evil.example', '/\\evil.example', 'evil.example', 'javascript:alert(1)'])
    expect(await ask(url)).toEqual([400, words])
  expect(await ask('https://evil.example/', 'csrf')).toEqual([400, words])
  for (const url of ['/videos?filter=FAILED', `${base}/videos`])
    expect(await ask(url)).toEqual([302, `/sign-in?callbackUrl=${encodeURIComponent(new URL(url, base).href)}`])
})
