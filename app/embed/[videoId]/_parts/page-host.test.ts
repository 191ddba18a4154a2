import { expect, test } from 'vitest'
import { viewingReport } from '#server/modules/analytics/viewing/viewing-schema'
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

test.each([
  ['http://my_school.example.com:8080', 'my_school.example.com:8080'],
  ['https://-school-.example.com', '-school-.example.com'],
  ['https://_.example.com', '_.example.com'],
  ['http://[2001:db8::7]:3000', '[2001:db8::7]:3000'],
  ["https://a$b'c.example.com", '(unknown)'],
  [`https://${'a'.repeat(260)}.example.com`, '(unknown)'],
])('the service accepts what a player on %s reports', (origin, host) => {
  const found = pageHost(page([origin]), '')
  expect(found).toBe(host)
  expect(viewingReport.shape.page.safeParse(found)).toEqual({ success: true, data: host })
})

test('a player that is a page of its own is opened directly, whatever linked to it', () => {
  const frame = { parent: undefined as unknown, location: { host: 'player.example.com' } }
  frame.parent = frame
  expect(pageHost(frame, 'https://mail.example.com/')).toBe('(direct)')
})
