import { expect, test } from 'vitest'
import { ERROR_HELP } from '#server/error-help'
import type { Explanation } from '#server/modules/analytics/requests/explain'
import { refusalOf } from './refusal'

const KEY = { id: 'key_1', name: 'Shop', prefix: 'ak_live_abcd', state: 'ACTIVE', changedAt: null } as const
const CALL = { method: 'GET', path: '/v1/videos', videoId: 'vid_1', videoTitle: null, videoDeletedAt: null, responseHeaders: {}, key: KEY }
const VIEWER = { reference: 'vwr_1', id: 'student-42' }
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
    ...(['PLAYBACK_NOT_ALLOWED', { reason: 'SESSIONS', maxSessions: 2, sessions: 2 }, { viewer: VIEWER }] as const),
    ...['Refused: 3rd session of student-42, limit 2.', '/viewers/people/vwr_1'],
  ],
  [
    ...(['PLAYBACK_NOT_ALLOWED', { reason: 'SESSIONS', maxSessions: 10, sessions: 11 }, { viewer: { ...VIEWER, id: null } }] as const),
    ...['Refused: 12th session of the viewer, limit 10.', '/viewers/people/vwr_1'],
  ],
  [
    ...(['PLAYBACK_NOT_ALLOWED', { reason: 'COUNTRY', country: 'FR' }, { viewer: VIEWER }] as const),
    ...['Refused: student-42 is in FR, which the token does not allow.', '/viewers/people/vwr_1'],
  ],
  [
    ...(['PLAYBACK_NOT_ALLOWED', { reason: 'COUNTRY' }, {}] as const),
    ...['Refused: the country of the viewer is unknown, and the token allows only certain countries.', undefined],
  ],
  [
    ...(['PLAYBACK_NOT_ALLOWED', { reason: 'ADDRESS' }, { viewer: VIEWER, address: '203.0.113.4' }] as const),
    ...['Refused: student-42 has the address 203.0.113.4, which the token does not allow.', '/viewers/people/vwr_1'],
  ],
  [
    ...(['PLAYBACK_NOT_ALLOWED', { reason: 'HEIGHT' }, { viewer: VIEWER }] as const),
    ...['Refused: student-42 requested a higher rendition than the token allows.', '/viewers/people/vwr_1'],
  ],
  [
    ...(['PLAYBACK_TOKEN_EXPIRED', { reason: 'PLAYBACK_ENDED' }, { viewer: VIEWER }] as const),
    ...['Refused: this session of student-42 had ended.', '/viewers/people/vwr_1'],
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
