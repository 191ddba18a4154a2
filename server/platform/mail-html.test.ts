import { expect, it } from 'vitest'
import { mailHtml } from './mail-html.ts'

const BASE = 'https://video.example.com'
const links = (text: string) =>
  [...mailHtml({ subject: 'Hello', text }, BASE).matchAll(/<a(?: class="(\w+)")? href="([^"]*)">([^<]*)/g)].map(([, ...parts]) => parts)

it('makes a button of an address on a line, by its label', () => {
  expect(links(`Choose within one hour:\n${BASE}/reset-password#abc\n\nIf not, ignore it.`)).toEqual([
    ['button', `${BASE}/reset-password#abc`, 'Continue'],
  ])
  expect(links(`Accept the invitation: ${BASE}/join#abc`)).toEqual([['button', `${BASE}/join#abc`, 'Accept the invitation']])
})

it('links an address in a sentence without the full stop after it', () => {
  expect(links(`Top up at ${BASE}/billing.`)).toEqual([[undefined, `${BASE}/billing`, `${BASE}/billing`]])
})

it.each(['https://evil.example/', `${BASE}.evil.example/x`, `${BASE}:81/x`, `${BASE}@evil.example/x`, 'javascript:alert(1)'])(
  'makes no link of %s in a name',
  (name) => {
    expect(links(`${name} invited you`)).toEqual([])
    expect(links(name)).toEqual([])
  },
)

it('escapes markup of the text and the subject', () => {
  const html = mailHtml({ subject: '<b>x</b>', text: '<img src=x> & "y"' }, BASE)
  expect(html).not.toMatch(/<b>|<img/)
  expect(html).toContain('&lt;img src=x&gt; &amp; &quot;y&quot;')
})
