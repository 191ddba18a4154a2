import { describe, expect, test } from 'vitest'
import { superLinear } from '../../../../scripts/architecture/growth.ts'
import { redact, redactPath } from './redact.ts'

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJzb21lIn0.c2lnbmF0dXJl'
const KEY = 'ak_live_abcdefghijklmnopqrstuvwxyz012345'

describe('redact and redactPath', () => {
  test.each([
    [`Bearer ${JWT}`, 'Bearer …'],
    [`a.${JWT}.b.c`, 'a.….b.c'],
    [`x-${JWT}`, 'x-…'],
    [`video.example-host.${JWT} and ${JWT}`, 'video.example-host.… and …'],
    ['eyJhbGciOiJI.', '…'],
    ['eyJhbGciOiJI', 'eyJhbGciOiJI'],
    ['eyJ.short.x', 'eyJ.short.x'],
    [`key ${KEY}!`, 'key ak_live_…!'],
    [`ak_live_abc\0${KEY}`, 'ak_live_…'],
    ['pt_eyJhbGciOi.eyJqdGki.c2ln', 'pt_…'],
    ['curl/8.5.0', 'curl/8.5.0'],
  ])('redacts %j', (text, kept) => expect(redact(text, 300)).toBe(kept))

  test.each([
    ['whole', 'x'.repeat(100), `${'x'.repeat(60)}…`],
    ['through an API key', `${'x'.repeat(49)} ${KEY}`, `${'x'.repeat(49)} ak_live_…`],
    ["through a token's first part", `${'x'.repeat(39)} ${JWT}`, `${'x'.repeat(39)} …`],
    ["through a token's second part", `${'x'.repeat(29)} ${JWT}`, `${'x'.repeat(29)} …`],
    ['through a surrogate pair', `${'x'.repeat(59)}😀`, `${'x'.repeat(59)}\ufffd…`],
  ])('truncates a text: %s', (_where, text, kept) => expect(redact(text, 60)).toBe(kept))

  test.each([
    [`/v1/video/${encodeURIComponent(KEY).replace('k', '%6b')}`, '/v1/video/ak_live_…'],
    [`/v1/video/%6bey/%zz/a%6b_live_abcdef`, '/v1/video/key/%zz/ak_live_…'],
    ['/v1/video/%zz/%6b', '/v1/video/%zz/%6b'],
    [`/v1/${'x'.repeat(80)}/a%6b_live_abcdef`, `/v1/${'x'.repeat(80)}/ak_live_…`],
  ])('redacts the path %j', (path, kept) => expect(redactPath(path, 100)).toBe(kept))

  test('redacts a path truncated inside an escape', () => {
    const path = `/v1/a%6b_live_${'b'.repeat(83)}%e2%82%ac%6b`
    for (let most = 20; most <= path.length; most++) expect(redactPath(path, most)).not.toContain('bbbb')
  })
})

const TEXTS = ['eyJ-', 'eyJ', 'a', '.', 'eyJaaaaaaaa.', 'ak_live_', 'ak_live_a ', '%6b', '%', '-', '\0', 'pt_', 'whsec%5f']
const inputs = TEXTS.flatMap((pump) => ['', 'eyJ'].map((before) => ({ before, pump, after: '!' })))

test.each([
  ['redact', redact],
  ['redactPath', redactPath],
])('%s takes linear time', (_name, work) => {
  expect(superLinear((text) => work(text, text.length), inputs)).toBeUndefined()
})
