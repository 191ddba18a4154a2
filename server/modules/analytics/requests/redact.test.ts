import { describe, expect, test } from 'vitest'
import { superLinear } from '../../../../scripts/architecture/growth.ts'
import { redact, redactBody, redactPath } from './redact.ts'

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
    ['/v1/viewer/ann%2F1/end', '/v1/viewer/…/end'],
    ['/v1/viewers/student-42', '/v1/viewers/…'],
    ['/v1/viewer/class/ann/end', '/v1/viewer/…/end'],
    ['/v1/viewer/class/ann', '/v1/viewer/…'],
    ['/v1//Viewer//ann/video/vid_1', '/v1//Viewer//…/video/vid_1'],
    ['/v1/video/vid_1/viewers', '/v1/video/vid_1/viewers'],
    [`/v1/${'x'.repeat(80)}/a%6b_live_abcdef`, `/v1/${'x'.repeat(80)}/ak_live_…`],
  ])('redacts the path %j', (path, kept) => expect(redactPath(path, 100)).toBe(kept))

  test('redacts a path truncated inside an escape', () => {
    const path = `/v1/a%6b_live_${'b'.repeat(83)}%e2%82%ac%6b`
    for (let most = 20; most <= path.length; most++) expect(redactPath(path, most)).not.toContain('bbbb')
  })
})

test.each([
  ['{"url":"https:\\/\\/me:pass@files.example\\/a.mp4?X-Amz-Signature=abc"}', '{\n  "url": "https://files.example/a.mp4?…"\n}'],
  ['{"uploadUrl":"https://v.example/api/upload/upl_1/signature"}', '{\n  "uploadUrl": "https://v.example/api/upload/upl_1/…"\n}'],
  ['{"listenSecret":"one\\"two","title":"A"}', '{\n  "listenSecret": "…",\n  "title": "A"\n}'],
  [`{"title":"\\u0061k_live_abcdefgh","\\u0061k_live_ijklmn":1}`, '{\n  "title": "ak_live_…",\n  "ak_live_…": 1\n}'],
  [`not JSON: ${KEY}`, 'not JSON: ak_live_…'],
  ['{"viewer":{"id":"a","label":"b}c@d.example"},"maxSessions":1}', '{\n  "viewer": "…",\n  "maxSessions": 1\n}'],
  ['{"label":"c@d.example","viewers":{"label":"c"}}', '{\n  "label": "…",\n  "viewers": {\n    "label": "…"\n  }\n}'],
  ['{"label": "c@d', '{"label…'],
  ['{"viewer":{"id":"a}b","label":"Ann"},"maxSessions":2}', '{\n  "viewer": "…",\n  "maxSessions": 2\n}'],
  ['[{"\\u0076iewerId":"student-42","watchedSec":1}]', '[\n  {\n    "viewerId": "…",\n    "watchedSec": 1\n  }\n]'],
  ['{"viewerId":null}', '{\n  "viewerId": null\n}'],
  ['{"maxSessions":2,"viewer":{"id":"student-42",}}', '{"maxSessions":2,"viewer…'],
])('redacts the body %j', (body, kept) => expect(redactBody(body)).toBe(kept))

test('redacts the ID of a person in the body of an operation on persons', () => {
  expect(redactBody('{"data":{"id":"student-42","ended":1}}', { aboutPerson: true })).toBe(
    '{\n  "data": {\n    "id": "…",\n    "ended": 1\n  }\n}',
  )
})

test('keeps nothing of a body on persons whose JSON was cut off', () => {
  const body = JSON.stringify({ data: [{ id: 'student-42', firstSeenAt: '2026-11-21T10:00:00.000Z' }] })
  expect(redactBody(body.slice(0, -1), { aboutPerson: true })).toBe('…')
})

test('bounds a body, and cuts a secret through which it ends', () => {
  const kept = redactBody(`{"data":"${'x'.repeat(16_000)}","token":"${'s'.repeat(9_000)}"}`)
  expect(kept.length).toBeLessThan(16_400)
  expect(kept).not.toContain('ss')
})

const TEXTS = [
  'eyJ-',
  'eyJ',
  'a',
  '.',
  'eyJaaaaaaaa.',
  'ak_live_',
  'ak_live_a ',
  '%6b',
  '%',
  '-',
  '\0',
  'pt_',
  'whsec%5f',
  'http://',
  '"token":"',
  '\\',
  '@',
  '/upl_a',
  '/viewer/',
  '/video/a',
]
const inputs = TEXTS.flatMap((pump) => ['', 'eyJ'].map((before) => ({ before, pump, after: '!' })))

test.each([
  ['redact', redact],
  ['redactPath', redactPath],
  ['redactBody', redactBody],
])('%s takes linear time', (_name, work) => {
  expect(superLinear((text) => work(text, text.length), inputs)).toBeUndefined()
})
