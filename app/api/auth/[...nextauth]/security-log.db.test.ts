import { Secret, TOTP } from 'otpauth'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { closeSecurityHours, securityCounters } from '#server/modules/audit/security-counters'
import { mailSecurityNotices } from '#server/modules/audit/security-mail'
import { serviceNow } from '#server/platform/database/clock'
import { db, query } from '#server/platform/database/database'
import { authRoute } from '#server/testing/auth-route'
import { Browser } from '#server/testing/browser-jar'
import { cheapHash } from '#server/testing/cheap-hash'
import { dashboardHost } from '#server/testing/dashboard-host'
import { testDatabase } from '#server/testing/database'
import { logLines } from '#server/testing/logs'
import { startMailbox } from '#server/testing/mailbox'
import { makeAccount, makeMember } from '#server/testing/make'
import { GET as ask, POST as tell } from '../../trpc/[trpc]/route'
import * as route from './route'

const lines = logLines()
await testDatabase()
const { mails } = await startMailbox()
const PASSWORD = 'correct horse battery'
let base: string
let passwordHash: string

beforeAll(async () => {
  passwordHash = cheapHash(PASSWORD)
  base = await dashboardHost({
    '/api/auth/': authRoute(route),
    '/api/trpc/': (request) => (request.method === 'GET' ? ask(request) : tell(request)),
  })
})
beforeEach(async () => {
  await db().securityNotice.deleteMany()
  mails.length = 0
  lines.length = 0
})

/** Creates a user with a password whose account is a day old, and who is also a member of another account. */
async function createUser() {
  const ctx = await makeAccount()
  if (ctx.actor.kind !== 'user') throw new Error('an account is made with a user')
  const { email, userId } = ctx.actor
  await db().user.update({ where: { id: userId }, data: { passwordHash, createdAt: new Date(Date.now() - 86_400_000) } })
  const other = await makeAccount()
  await db().membership.create({ data: { accountId: other.accountId, userId, role: 'VIEWER' } })
  return { email, userId, accountIds: [ctx.accountId, other.accountId] }
}

const wrongPassword = (email: string) => new Browser(base).signIn(email, 'wrong horse battery')
async function signedIn(email: string): Promise<Browser> {
  const browser = new Browser(base)
  expect(await browser.signIn(email, PASSWORD)).toMatchObject({ status: 200, error: null })
  return browser
}

/** Returns action, actor and snapshot of an account's entries about this user. */
async function entries(accountId: string, userId: string) {
  await securityCounters().flush()
  const rows = await db().auditEntry.findMany({ where: { accountId, subject: userId }, orderBy: { id: 'asc' } })
  return rows.map(({ action, actor, after }) => [action, actor, after])
}
const security = () => lines.filter((line) => 'security' in line)
async function mailed(): Promise<[string, string][]> {
  await securityCounters().flush()
  await mailSecurityNotices()
  return mails.map(({ to, subject }) => [to.join(), subject])
}
const endOfTheHour = () => query('hour-over', `UPDATE security_count SET hour = hour - interval '1 hour'`, [])

describe('refused passwords', () => {
  it('are recorded in the log of each account of the user: one entry at the start and one for the hour, for any number', async () => {
    const { email, userId, accountIds } = await createUser()
    await wrongPassword(email)
    for (const accountId of accountIds)
      expect(await entries(accountId, userId)).toEqual([['user.sign-in.refuse', 'system', { attempts: 1, address: '127.0.0.1' }]])
    for (let round = 0; round < 5; round++) await wrongPassword(email)
    for (const accountId of accountIds) expect(await entries(accountId, userId)).toHaveLength(1)
    await endOfTheHour()
    await Promise.all([closeSecurityHours(), closeSecurityHours()])
    for (const accountId of accountIds)
      expect((await entries(accountId, userId)).at(1)).toEqual([
        ...['user.sign-in.refuse', 'system'],
        { attempts: 6, address: '127.0.0.1', hour: expect.stringMatching(/:00:00\.000Z$/) },
      ])
    await closeSecurityHours()
    expect(await entries(accountIds[0] as string, userId)).toHaveLength(2)
  })

  it('each log a line with the address and without the password; an unknown e-mail logs the line alone, without the input', async () => {
    const { email, userId } = await createUser()
    await wrongPassword(email)
    await wrongPassword('stranger@example.net')
    expect(security()).toMatchObject([
      { level: 'warn', security: 'user.sign-in.refuse', address: '127.0.0.1', userId, known: true },
      { level: 'warn', security: 'user.sign-in.refuse', address: '127.0.0.1', known: false },
    ])
    expect(JSON.stringify(lines)).not.toMatch(/wrong horse|stranger/)
    await securityCounters().flush()
    expect(await db().securityCount.count({ where: { event: 'user.sign-in.refuse', userId: { not: userId }, count: 1 } })).toBe(0)
  })

  it('are mailed to the user once a day when they are many', async () => {
    const { email, userId } = await createUser()
    for (let round = 0; round < 9; round++) await wrongPassword(email)
    expect(await mailed()).toEqual([])
    await wrongPassword(email)
    expect(await mailed()).toEqual([[email, 'Wrong passwords were entered for your account (Reelgate)']])
    expect(mails[0]?.text).toContain('127.0.0.1')
    // The next hour, with the same number.
    await endOfTheHour()
    for (let round = 0; round < 12; round++) securityCounters().add('user.sign-in.refuse', userId, { remote: '127.0.0.1' })
    expect(await mailed()).toHaveLength(1)
  })

  it('in the settings of a signed-in browser are separate events', async () => {
    const { email, userId, accountIds } = await createUser()
    const browser = await signedIn(email)
    await browser.mutate('user.changePassword', { current: 'wrong horse battery', password: 'another horse battery' })
    expect(await entries(accountIds[0] as string, userId)).toContainEqual([
      ...['user.proof.refuse', 'system'],
      { attempts: 1, address: '127.0.0.1' },
    ])
  })
})

describe('signing in', () => {
  it('is recorded and mailed on a new device, and only logged on a known one', async () => {
    const { email, userId, accountIds } = await createUser()
    const browser = await signedIn(email)
    const entry = ['user.device.new', userId, { device: 'Chrome on Linux', address: '127.0.0.1', method: 'password' }]
    for (const accountId of accountIds) expect(await entries(accountId, userId)).toEqual([entry])
    expect(await mailed()).toEqual([[email, 'New sign-in to your account (Reelgate)']])
    expect(mails[0]?.text).toMatch(/^From: Chrome on Linux, 127\.0\.0\.1$/m)
    expect(security().map((line) => line.security)).toEqual(['user.sign-in', 'user.device.new'])
    expect(await browser.signIn(email, PASSWORD)).toMatchObject({ status: 200, error: null })
    expect(await entries(accountIds[0] as string, userId)).toEqual([entry])
    expect(await mailed()).toHaveLength(1)
    expect(security().map((line) => line.security)).toEqual(['user.sign-in', 'user.device.new', 'user.sign-in'])
  })

  it('mails ten of fourteen new devices in a day', async () => {
    const { email } = await createUser()
    for (let round = 0; round < 14; round++) await signedIn(email)
    expect(await mailed()).toHaveLength(10)
  })

  it('is not mailed in the first minutes of an account', async () => {
    const { email, userId } = await createUser()
    await db().user.update({ where: { id: userId }, data: { createdAt: new Date(serviceNow()) } })
    await signedIn(email)
    expect(await mailed()).toEqual([])
  })
})

it('a second factor leaves a complete trace: on, wrong codes, a recovery code used, new codes, off', async () => {
  const { email, userId, accountIds } = await createUser()
  const browser = await signedIn(email)
  const begun = await browser.mutate('user.beginTotp', { password: PASSWORD })
  const app = new TOTP({ secret: Secret.fromBase32((begun.data as { secret: string }).secret) })
  // The code of the next half minute is valid already, and for longest; each is used once.
  const next = async () => {
    await db().user.update({ where: { id: userId }, data: { totpLastStep: null } })
    return app.generate({ timestamp: serviceNow() + 30_000 })
  }
  const { recoveryCodes } = (await browser.mutate('user.confirmTotp', { code: await next() })).data as { recoveryCodes: string[] }
  const elsewhere = await signedIn(email)
  for (let round = 0; round < 3; round++) await elsewhere.giveCode('000000')
  expect(await elsewhere.giveCode(recoveryCodes[0] as string)).toMatchObject({ status: 200, error: null })
  await browser.mutate('user.renewRecoveryCodes', { code: await next() })
  await browser.mutate('user.turnOffTotp', { password: PASSWORD, code: await next() })
  const expected = [
    ['user.device.new', userId],
    ['user.totp.on', userId],
    ['user.recovery-code.use', userId],
    ['user.device.new', userId],
    ['user.recovery-codes.renew', userId],
    ['user.totp.off', userId],
    ['user.code.refuse', 'system'],
  ]
  for (const accountId of accountIds) {
    const found = (await entries(accountId, userId)).map(([action, actor]) => [action, actor])
    expect(found.filter(([action]) => action !== 'user.totp.begin').sort()).toEqual(expected.sort())
  }
  expect((await mailed()).map(([, subject]) => subject).sort()).toEqual(
    [
      'New sign-in to your account (Reelgate)',
      'Two-factor sign-in was enabled (Reelgate)',
      'Wrong two-factor codes were entered for your account (Reelgate)',
      'A recovery code was used (Reelgate)',
      'New sign-in to your account (Reelgate)',
      'Your recovery codes were replaced (Reelgate)',
      'Two-factor sign-in was disabled (Reelgate)',
    ].sort(),
  )
  const text = JSON.stringify([lines, mails])
  for (const secret of [PASSWORD, ...recoveryCodes, (begun.data as { secret: string }).secret]) expect(text).not.toContain(secret)
})

it('a member of one account leaves entries in that account alone', async () => {
  const owner = await makeAccount()
  const member = await makeMember(owner, 'DEVELOPER')
  await db().user.update({ where: { id: member.actor.userId }, data: { passwordHash } })
  await wrongPassword(member.actor.email)
  await securityCounters().flush()
  const found = await db().auditEntry.findMany({ where: { subject: member.actor.userId } })
  expect(found.map(({ accountId }) => accountId)).toEqual([owner.accountId])
})

it('the creation and revocation of a key log a line with the user and the address', async () => {
  const { email, userId, accountIds } = await createUser()
  const browser = await signedIn(email)
  const made = await browser.mutate('key.create', { name: 'Backend', environment: 'LIVE', scopes: ['video:read'] })
  const { id, value } = made.data as { id: string; value: string }
  await browser.mutate('key.revoke', { keyId: id })
  const [accountId] = accountIds
  const line = { level: 'info', address: '127.0.0.1', accountId, actor: userId, subject: id, requestId: expect.stringMatching(/^req_/) }
  expect(security().filter((one) => String(one.security).startsWith('key.'))).toMatchObject([
    { security: 'key.create', ...line },
    { security: 'key.revoke', ...line },
  ])
  expect(JSON.stringify(lines)).not.toContain(value)
})
