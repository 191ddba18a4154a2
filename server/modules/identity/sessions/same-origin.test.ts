import { beforeEach, expect, it } from 'vitest'
import { provide } from '../../../testing/settings.ts'
import { isOwnOrigin, isSameOrigin } from './cookies.ts'

beforeEach(() => provide({ BASE_URL: 'https://video.example.com' }))

it.each([
  ['https://lan.example', 'lan.example'],
  ['https://lan.example', 'LAN.Example'],
  ['https://lan.example', 'lan.example:443'],
  ['http://lan.example', 'lan.example:80'],
  ['https://lan.example', 'lan.example.'],
  ['https://lan.example.', 'lan.example'],
  ['https://lan.example.:8443', 'lan.example:8443'],
  ['https://lan.example', 'lan.example, 10.0.0.7:3000'],
  ['http://[2001:db8::7]:3000', '[2001:DB8:0::7]:3000'],
  ['https://video.example.com', '10.0.0.7:3000'],
  ['https://VIDEO.example.com:443', undefined],
])('the origin %s is that of a request to %s', (origin, host) => {
  expect(isOwnOrigin(origin, host)).toBe(true)
})

it.each([
  ['https://evil.example', 'lan.example'],
  ['https://lan.example:444', 'lan.example'],
  ['http://lan.example', 'lan.example:443'],
  ['https://lan.example.evil.example', 'lan.example'],
  ['https://lan.example', 'lan.example..'],
  ['http://video.example.com', undefined],
  ['null', 'null'],
  ['', ''],
])('the origin %s is not that of a request to %s', (origin, host) => {
  expect(isOwnOrigin(origin, host)).toBe(false)
})

it('Sec-Fetch-Site comes before Origin, and a client that sends neither is no browser', () => {
  const from = (headers: Record<string, string>) => isSameOrigin(new Headers({ host: 'lan.example', ...headers }))
  expect(from({})).toBe(true)
  expect(from({ 'sec-fetch-site': 'cross-site', origin: 'https://lan.example' })).toBe(false)
  expect(from({ origin: 'https://lan.example' })).toBe(true)
  expect(from({ origin: 'https://evil.example', 'x-forwarded-host': 'lan.example' })).toBe(false)
})
