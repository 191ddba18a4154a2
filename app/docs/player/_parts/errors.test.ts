import { expect, it } from 'vitest'
import { ERRORS, type ErrorCode } from '#server/errors'
import { NOTICES, noticeFor } from '../../../embed/[videoId]/_parts/notices'
import { PLAYER_ERRORS } from './errors'

it('names each reason of the player, and the codes of the API that lead to it', () => {
  expect(Object.keys(PLAYER_ERRORS)).toEqual(Object.keys(NOTICES))
  for (const [reason, { codes }] of Object.entries(PLAYER_ERRORS)) {
    const leading = (Object.keys(ERRORS) as ErrorCode[]).filter((code) => noticeFor(code) === reason)
    // What leads to `trouble` is every other code; `ended` is `expired` after playback has begun, `elsewhere` is `barred` for SESSIONS.
    if (!['trouble', 'ended', 'elsewhere'].includes(reason))
      expect(codes.filter((code) => code in ERRORS).toSorted()).toEqual(leading.toSorted())
    for (const code of codes.filter((one) => one.startsWith('PLAYER_'))) expect(code).toBe(`PLAYER_${reason.toUpperCase()}`)
  }
})
