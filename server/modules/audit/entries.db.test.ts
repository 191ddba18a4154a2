import { Secret, TOTP } from 'otpauth'
import { beforeAll, describe, expect, test } from 'vitest'
import type { ActionName } from '../../audit-actions.ts'
import type { AccountCtx } from '../../context.ts'
import { serviceNow } from '../../platform/database/clock.ts'
import { db } from '../../platform/database/database.ts'
import { newId } from '../../platform/secrets/crypto.ts'
import { cheapHash } from '../../testing/cheap-hash.ts'
import { testDatabase } from '../../testing/database.ts'
import { makeAccount, makeKey, makeMember, makeVideo } from '../../testing/make.ts'
import { emitMany, makeEndpoint } from '../../testing/make-endpoint.ts'
import { requestQuota } from '../access/quotas/quota-requests.ts'
import { setTier } from '../billing/set-limits.ts'
import { leaveAccount } from '../identity/members/members.ts'
import { endOtherSessions, endSession } from '../identity/sessions/sessions.ts'
import { unlinkIdentity } from '../identity/sign-in/identity-link.ts'
import { changePassword } from '../identity/sign-in/password-change.ts'
import { renewRecoveryCodes } from '../identity/sign-in/recovery-codes.ts'
import { beginTotp, confirmTotp, turnOffTotp } from '../identity/sign-in/totp-setup.ts'
import { putCaptions, removeCaptions } from '../videos/captions/captions.ts'
import { choosePoster, uploadPoster } from '../videos/poster.ts'
import { replayDelivery, replaySince } from '../webhooks/delivery/replay.ts'

/** Entries of changes that need more than one call; server/trpc/roles.db.test.ts names this file for them. */
await testDatabase()
const PASSWORD = 'correct horse battery'
const RED_DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg=='
const [first = '', second = ''] = ['a', 'b'].map((letter) => letter.repeat(32))
const visitor = { address: '192.0.2.9' }
let passwordHash = ''
beforeAll(async () => {
  passwordHash = cheapHash(PASSWORD)
})

type Signed = AccountCtx & { sessionId: string }
const userOf = ({ actor }: AccountCtx) => (actor as { userId: string }).userId

/** Creates a user with a password, signed in here and on so many other devices. */
async function makeSignedInUser(elsewhere = 0): Promise<Signed & { others: string[] }> {
  const ctx = await makeAccount()
  const userId = userOf(ctx)
  await db().user.update({ where: { id: userId }, data: { passwordHash } })
  const session = { userId, method: 'password', address: '', userAgent: '', expiresAt: new Date('2100-01-01') }
  const [sessionId = '', ...others] = Array.from({ length: elsewhere + 1 }, () => newId('ses'))
  for (const id of [sessionId, ...others]) await db().userSession.create({ data: { ...session, id } })
  return { ...ctx, sessionId, others }
}

/** Returns the entries that `change` writes, each as action, subject, before and after. */
async function written({ accountId }: AccountCtx, change: () => Promise<unknown>) {
  const before = await db().auditEntry.count({ where: { accountId } })
  await change()
  const all = await db().auditEntry.findMany({ where: { accountId }, orderBy: { id: 'asc' } })
  return all.slice(before).map(({ action, subject, before, after }) => [action, subject, before, after])
}
const entry = (action: ActionName, subject: string, before: object | null, after: object | null) => [action, subject, before, after]

describe('users', () => {
  test('a password change', async () => {
    const ctx = await makeSignedInUser(2)
    const change = () => changePassword(ctx, visitor, { current: PASSWORD, password: 'another horse battery' })
    expect(await written(ctx, change)).toEqual([entry('user.password.change', userOf(ctx), null, { otherSessionsEnded: 2 })])
  })

  test('ended sessions: one, all others, and none left to end', async () => {
    const ctx = await makeSignedInUser(3)
    const end = () => endSession(ctx, { sessionId: ctx.others[0] as string })
    expect(await written(ctx, end)).toEqual([entry('user.session.end', userOf(ctx), { sessions: 1 }, null)])
    expect(await written(ctx, () => endOtherSessions(ctx))).toEqual([entry('user.session.end', userOf(ctx), { sessions: 2 }, null)])
    expect(await written(ctx, () => endOtherSessions(ctx))).toEqual([])
    expect(await written(ctx, () => end().catch(() => {}))).toEqual([])
  })

  test('a second factor from set-up to removal', async () => {
    const ctx = await makeSignedInUser()
    let secret = ''
    const begin = async () => {
      secret = (await beginTotp(ctx, visitor, { password: PASSWORD })).secret
    }
    const code = (ahead: number) => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: serviceNow() + ahead * 30_000 })
    const id = userOf(ctx)
    expect(await written(ctx, begin)).toEqual([entry('user.totp.begin', id, null, null)])
    expect(await written(ctx, () => confirmTotp(ctx, visitor, { code: code(-1) }))).toEqual([
      entry('user.totp.on', id, null, { recoveryCodes: 10 }),
    ])
    expect(await written(ctx, () => renewRecoveryCodes(ctx, visitor, { code: code(0) }))).toEqual([
      entry('user.recovery-codes.renew', id, null, { recoveryCodes: 10 }),
    ])
    const off = { password: PASSWORD, code: { kind: 'totp', code: code(1) } } as const
    expect(await written(ctx, () => turnOffTotp(ctx, visitor, off))).toEqual([entry('user.totp.off', id, null, null)])
    expect(
      JSON.stringify(await db().auditEntry.findMany({ where: { accountId: ctx.accountId }, select: { before: true, after: true } })),
    ).not.toContain(secret)
  })

  test('a disconnected provider', async () => {
    const ctx = await makeSignedInUser()
    const identity = {
      userId: userOf(ctx),
      issuer: 'https://github.com',
      subject: newId('usr'),
      provider: 'github',
      email: 'ada@example.com',
    }
    await db().userIdentity.create({ data: identity })
    const [change, ...more] = await written(ctx, () => unlinkIdentity(ctx, { provider: 'github' }))
    expect([change?.[0], change?.[2], more]).toEqual(['user.identity.disconnect', expect.objectContaining({ provider: 'github' }), []])
  })

  test('a member who leaves', async () => {
    const owner = await makeAccount()
    const member = await makeMember(owner, 'DEVELOPER')
    const { email } = member.actor
    const [change, ...more] = await written(owner, () => leaveAccount(member))
    expect([change?.[0], change?.[2], more]).toEqual(['team.leave', { email, role: 'DEVELOPER' }, []])
  })
})

describe('videos', () => {
  test('a poster that is chosen, uploaded, and chosen again unchanged', async () => {
    const ctx = await makeAccount()
    const videoId = await makeVideo(ctx, { poster: first, posterCandidates: [first, second] })
    const choose = () => choosePoster(ctx, { videoId, name: second })
    expect(await written(ctx, choose)).toEqual([entry('video.poster', videoId, { poster: first }, { poster: second })])
    expect(await written(ctx, choose)).toEqual([])
    let name = ''
    const upload = async () => {
      name = (await uploadPoster(ctx, { videoId, image: Buffer.from(RED_DOT, 'base64') })).name
    }
    expect(await written(ctx, upload)).toEqual([entry('video.poster', videoId, { poster: second }, { poster: name })])
  })

  test('captions that are added, replaced and removed', async () => {
    const ctx = await makeAccount()
    const videoId = await makeVideo(ctx)
    const put = (text: string, label: string) =>
      putCaptions(ctx, { videoId, language: 'en', label, text: `WEBVTT\n\n00:00.000 --> 00:01.000\n${text}` })
    const [one, other] = ['English', 'English (new)'].map((label) => ({ language: 'en', label, cues: 1 }))
    expect(await written(ctx, () => put('One', 'English'))).toEqual([entry('video.captions', videoId, null, one as object)])
    expect(await written(ctx, () => put('Other', 'English (new)'))).toEqual([
      entry('video.captions', videoId, one as object, other as object),
    ])
    expect(await written(ctx, () => removeCaptions(ctx, { videoId, language: 'en' }))).toEqual([
      entry('video.captions', videoId, { language: 'en', label: 'English (new)' }, null),
    ])
  })
})

test('a request for a higher quota', async () => {
  const ctx = await makeAccount()
  const { id: keyId } = await makeKey(ctx)
  await setTier(ctx, { tier: 'PAID' })
  const asked = { requestedQuota: 200_000, reason: 'A large launch' }
  expect(await written(ctx, () => requestQuota(ctx, { keyId, ...asked }))).toEqual([entry('billing.quota.request', keyId, null, asked)])
  expect(await written(ctx, () => requestQuota(ctx, { keyId, ...asked }).catch(() => {}))).toEqual([])
})

test('redeliveries: one event, and all that are missing since', async () => {
  const ctx = await makeAccount()
  const [eventId = '', another = ''] = await emitMany(ctx, 2)
  const { id: endpointId } = await makeEndpoint(ctx, 'https://hooks.example.com/one')
  expect(await written(ctx, () => replayDelivery(ctx, { endpointId, eventId }))).toEqual([
    entry('webhook.replay', endpointId, null, { eventId }),
  ])
  const since = new Date(0)
  expect(await written(ctx, () => replaySince(ctx, { endpointId, which: 'missing', since }))).toEqual([
    entry('webhook.replay', endpointId, null, { which: 'missing', since: since.toISOString(), count: 1 }),
  ])
  expect(another).not.toBe(eventId)
})
