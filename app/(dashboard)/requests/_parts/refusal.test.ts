import { expect, test } from 'vitest'
import { ERROR_HELP } from '#server/error-help'
import type { Explanation } from '#server/modules/analytics/requests/explain'
import { refusalOf } from './refusal'

const KEY = { id: 'key_1', name: 'Shop', prefix: 'ak_live_abcd', state: 'ACTIVE', changedAt: null } as const
const CALL = { method: 'GET', path: '/v1/videos', videoId: 'vid_1', videoTitle: null, videoDeletedAt: null, responseHeaders: {}, key: KEY }
const refused = (code: string, details: unknown = null, more: object = {}) =>
  refusalOf({ ...CALL, error: { code, message: '', said: null, details, cause: '', fix: '' }, ...more } as unknown as Explanation)

test.each([
  ['INSUFFICIENT_SCOPE', { needs: 'video:write' }, {}, 'The key “Shop” lacks the scope video:write.', '/api-keys/key_1?open=scopes'],
  [
    'IP_NOT_ALLOWED',
    { address: '203.0.113.4' },
    {},
    'The key “Shop” does not allow requests from 203.0.113.4.',
    '/api-keys/key_1?open=limits',
  ],
  ['INVALID_API_KEY', null, { key: { ...KEY, state: 'EXPIRED' } }, undefined, '/api-keys/key_1?open=limits'],
  ['INVALID_API_KEY', null, { key: { ...KEY, state: 'REVOKED' } }, undefined, '/api-keys?open=new'],
  [
    'RATE_LIMIT_EXCEEDED',
    { reason: 'KEY_SPENDING_CAP' },
    {},
    'The key “Shop” had reached its monthly spending cap.',
    '/api-keys/key_1?open=cap',
  ],
  [
    'RATE_LIMIT_EXCEEDED',
    { reason: 'OUT_OF_CREDIT' },
    {},
    'The balance was empty, and the key “Shop” had used its free quota.',
    '/billing?open=top-up',
  ],
  [
    ...(['RATE_LIMIT_EXCEEDED', null, { responseHeaders: { 'X-RateLimit-Limit': '1000' } }] as const),
    ...['The key “Shop” had used its quota of 1,000 tokens for the day (UTC).', '/api-keys/key_1?open=quota'],
  ],
  ['VIDEO_NOT_FOUND', null, {}, 'This account has no video vid_1.', '/videos'],
  ['VIDEO_NOT_FOUND', null, { videoDeletedAt: new Date() }, 'This video is deleted.', '/videos/vid_1'],
  ['VIDEO_NOT_READY', { status: 'PENDING' }, { videoTitle: 'Intro' }, 'The video “Intro” was still PENDING.', '/videos/vid_1'],
  [
    ...(['PLAYBACK_NOT_ALLOWED', { reason: 'SESSIONS', maxSessions: 2 }, {}] as const),
    ...['The viewer already has 2 sessions, which is all that the token allows.', undefined],
  ],
  [
    ...(['PLAYBACK_NOT_ALLOWED', { reason: 'COUNTRY', country: 'FR' }, {}] as const),
    ...['The token allows other countries only, and the viewer is in FR.', undefined],
  ],
  ['NOT_FOUND', null, {}, 'No endpoint has the path /v1/videos.', '/docs/reference'],
  [
    ...(['INVALID_REQUEST', [{ in: 'query', path: 'limit', message: 'Enter a number.' }], {}] as const),
    ...['limit (query): Enter a number.', '/docs/reference'],
  ],
] as const)('%s %j: names its cause and what resolves it', (code, details, more, cause, href) => {
  const { action, ...rest } = refused(code, details, more)
  expect([rest.cause, action?.href]).toEqual([cause, href])
})

test('no code names what the log does not hold', () => {
  for (const code of Object.keys(ERROR_HELP)) expect(JSON.stringify(refused(code, undefined, { key: null })), code).not.toMatch(/null/)
})
