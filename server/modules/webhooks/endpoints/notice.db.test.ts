import { afterEach, expect, test } from 'vitest'
import { db } from '../../../platform/database/database.ts'
import { testDatabase } from '../../../testing/database.ts'
import { deliveryStates } from '../../../testing/delivery-states.ts'
import { startMailbox } from '../../../testing/mailbox.ts'
import { makeAccount } from '../../../testing/make.ts'
import { emitMany, makeEndpoint } from '../../../testing/make-endpoint.ts'
import { startReceiver } from '../../../testing/services/receiver.ts'
import { provide } from '../../../testing/settings.ts'
import { Dispatcher } from '../delivery/dispatcher.ts'

await testDatabase()
provide({ WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' })
const { mails } = await startMailbox()
const HOUR = 3_600_000

const running: Dispatcher[] = []
afterEach(() => Promise.all(running.splice(0).map((one) => one.stop())))

/** Creates an account with a member of each role, and an endpoint that has failed for the given time. */
async function failingFor(ms: number, url: string) {
  const ctx = await makeAccount()
  const owner = await db().membership.findFirstOrThrow({
    where: { accountId: ctx.accountId },
    select: { user: { select: { email: true } } },
  })
  const members = {
    OWNER: owner.user.email,
    DEVELOPER: `developer-of-${ctx.accountId}@example.com`,
    VIEWER: `viewer-of-${ctx.accountId}@example.com`,
  }
  const add = (role: 'DEVELOPER' | 'VIEWER', email: string, suspendedAt: Date | null = null) => {
    const id = `usr_${email.split('@')[0]}`
    return db().user.create({
      data: { id, email, passwordHash: 'none', suspendedAt, memberships: { create: { accountId: ctx.accountId, role } } },
    })
  }
  await add('DEVELOPER', members.DEVELOPER)
  await add('VIEWER', members.VIEWER)
  await add('DEVELOPER', `suspended-in-${ctx.accountId}@example.com`, new Date())
  const { id } = await makeEndpoint(ctx, url)
  await db().webhookEndpoint.update({ where: { id }, data: { failingSince: new Date(Date.now() - ms) } })
  // Five attempts are recorded; the next is the last.
  await emitMany(ctx, 1)
  await db().webhookQueue.updateMany({ where: { endpointId: id }, data: { attemptCount: 5 } })
  return { id, members }
}

test('Dispatcher disables an endpoint after exactly three days of failure and mails owners and developers once', async () => {
  const receiver = await startReceiver((_got, res) => res.writeHead(500).end())
  const almost = await failingFor(71 * HOUR, receiver.url)
  const over = await failingFor(73 * HOUR, receiver.url)
  for (let made = 0; made < 2; made++) {
    const dispatcher = new Dispatcher()
    running.push(dispatcher)
    dispatcher.start()
  }
  const endpoint = (id: string) => db().webhookEndpoint.findUniqueOrThrow({ where: { id } })
  await expect.poll(() => endpoint(over.id)).toMatchObject({ disabledReason: 'failing' })
  for (const { id } of [over, almost]) await expect.poll(() => deliveryStates(id)).toMatchObject([{ status: 'DEAD', attemptCount: 6 }])
  await Promise.all(running.splice(0).map((one) => one.stop()))
  expect(await endpoint(almost.id)).toMatchObject({ disabledAt: null })

  expect(mails.map(({ to }) => to.join()).sort()).toEqual([over.members.DEVELOPER, over.members.OWNER].sort())
  for (const { subject, text } of mails) {
    expect(subject).toBe('A webhook endpoint was disabled')
    expect(text).toContain(receiver.url)
    expect(text).toContain('Every delivery failed for 3 days.')
  }
})
