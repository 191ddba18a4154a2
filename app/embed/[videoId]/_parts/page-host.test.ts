import { expect, test } from 'vitest'
import { pageHost } from './page-host.ts'

const page = (ancestorOrigins?: string[]) => ({ parent: {}, location: { host: 'player.example.com', ancestorOrigins } })

test.each([
  [
    'the outermost page of those that the browser lists',
    page(['https://inner.example.com', 'https://school.example.com']),
    '',
    'school.example.com',
  ],
  ['the referrer where the browser lists none', page(), 'https://blog.example.com/post?id=1', 'blog.example.com'],
  ['a host with its port', page(['http://localhost:8080']), '', 'localhost:8080'],
  ['an unknown page that withholds its address', page(), '', '(unknown)'],
  ['an unknown page without a host', page(['null']), '', '(unknown)'],
])('%s', (_what, frame, referrer, host) => {
  expect(pageHost(frame, referrer)).toBe(host)
})

test('a player that is a page of its own is opened directly, whatever linked to it', () => {
  const frame = { parent: undefined as unknown, location: { host: 'player.example.com' } }
  frame.parent = frame
  expect(pageHost(frame, 'https://mail.example.com/')).toBe('(direct)')
})
