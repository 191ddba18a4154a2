import { expect, it } from 'vitest'
import { ERRORS, type ErrorCode } from '#server/errors'
import { NOTICES, noticeFor } from './notices.ts'
import { texts } from './texts/en.ts'

it('has a text for every error code', () => {
  for (const code of Object.keys(ERRORS) as ErrorCode[]) expect(texts.notices[noticeFor(code)].title).toMatch(/\w/)
})

it.each([
  ['PLAYBACK_TOKEN_EXPIRED', 'expired'],
  ['PLAYBACK_TOKEN_INVALID', 'invalid'],
  ['PLAYBACK_NOT_ALLOWED', 'barred'],
  ['VIDEO_NOT_FOUND', 'missing'],
  ['VIDEO_NOT_READY', 'preparing'],
  ['SERVICE_UNAVAILABLE', 'trouble'],
  ['INTERNAL_ERROR', 'trouble'],
  [undefined, 'offline'],
] as const)('%s is %s', (code, name) => expect(noticeFor(code)).toBe(name))

it('tells a viewer who has no place left from one who may not watch here', () => {
  expect(noticeFor('PLAYBACK_NOT_ALLOWED', 'SESSIONS')).toBe('elsewhere')
  expect(noticeFor('PLAYBACK_NOT_ALLOWED', 'COUNTRY')).toBe('barred')
})

it('offers a retry only where it can help', () => {
  const retried = Object.entries(NOTICES).filter(([, notice]) => notice.retry)
  expect(retried.map(([name]) => name)).toEqual(['elsewhere', 'preparing', 'offline', 'trouble', 'broken'])
})
