import { jwtVerify } from 'jose'
import { expect, test } from 'vitest'
import { provide } from '../../../testing/settings.ts'
import { SERVICE } from '../../audit/content-access.ts'
import { signToken, verifyToken } from './token.ts'

const SECRET = 'a secret of this test long enough for HS256'
provide({ BASE_URL: 'http://localhost', PLAYBACK_TOKEN_SECRETS: `current:${SECRET}` })
const facts = { videoId: 'vid_abc', jti: 'tok_1', iat: Math.floor(Date.now() / 1000) }

test('signToken writes HS256 JWTs that an independent library verifies', async () => {
  const options = { algorithms: ['HS256'], issuer: 'reelgate', audience: 'playback', maxTokenAge: 300 }
  const { payload, protectedHeader } = await jwtVerify(signToken(SERVICE, facts).slice('pt_'.length), Buffer.from(SECRET), options)
  expect(payload).toEqual({ ...facts, iss: 'reelgate', aud: 'playback', exp: facts.iat + 300 })
  expect(protectedHeader).toEqual({ alg: 'HS256', kid: 'current', typ: 'JWT' })
})

test('verifyToken returns the signed claims; equal claims give an equal token', () => {
  expect(verifyToken(signToken(SERVICE, facts))).toEqual({ ...facts, lifetimeSec: 300, exp: facts.iat + 300 })
  expect(verifyToken(signToken(SERVICE, { ...facts, lifetimeSec: 60, policy: 'sealed' }))).toMatchObject({
    policy: 'sealed',
    exp: facts.iat + 60,
  })
  expect(signToken(SERVICE, facts)).toBe(signToken(SERVICE, { ...facts }))
})
