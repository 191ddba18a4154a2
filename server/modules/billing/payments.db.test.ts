import Stripe from 'stripe'
import { afterAll, describe, expect, test } from 'vitest'
import { POST } from '../../../app/api/stripe/route.ts'
import type { AccountCtx } from '../../context.ts'
import { JOBS } from '../../jobs.ts'
import { db } from '../../platform/database/database.ts'
import { startQueue, stopQueue } from '../../platform/job-queue.ts'
import { stripeApi } from '../../testing/billing/stripe-api.ts'
import { checkoutEvent, disputeEvent, MADE_AT, refundEvent, refundFailedEvent } from '../../testing/billing/stripe-events.ts'
import { testDatabase } from '../../testing/database.ts'
import { makeAccount } from '../../testing/make.ts'
import { provide } from '../../testing/settings.ts'
import { deleteAccount } from '../identity/accounts/delete-account.ts'
import { correctBalance } from './credit.ts'
import { exportLedger } from './export-ledger.ts'
import { beginTopUp } from './top-up.ts'
import { Verifier } from './verify-ledger.ts'

await testDatabase()
const api = await stripeApi()
afterAll(api.close)
const SECRET = 'whsec_for_tests'
const settings = {
  STRIPE_SECRET_KEY: 'sk_test_1',
  STRIPE_WEBHOOK_SECRET: SECRET,
  REELGATE_TEST_STRIPE_URL: api.url,
  CREDIT_PRICE: '90 usd',
  BASE_URL: 'https://video.example.com',
}

/** Signs an event with Stripe's helper and sends it as Stripe does. */
async function deliver(
  event: object,
  {
    secret = SECRET,
    change = (body: string) => body,
    timestamp,
  }: { secret?: string; change?: (body: string) => string; timestamp?: number } = {},
) {
  const body = JSON.stringify(event, null, 2)
  const signature = Stripe.webhooks.generateTestHeaderString({ payload: body, secret, ...(timestamp && { timestamp }) })
  const sent = change(body)
  const headers = { 'stripe-signature': signature, 'content-length': String(Buffer.byteLength(sent)) }
  const answer = await POST(new Request('https://video.example.com/api/stripe', { method: 'POST', headers, body: sent }))
  return { status: answer.status, ...((await answer.json()) as { taken?: boolean }) }
}

async function bought(credits = 50): Promise<{ ctx: AccountCtx; payment: string; amount: number }> {
  provide(settings)
  const ctx = await makeAccount()
  await beginTopUp(ctx, { credits })
  const { id, amount } = await db().payment.findFirstOrThrow({ where: { accountId: ctx.accountId } })
  return { ctx, payment: id, amount }
}

async function books({ accountId }: AccountCtx) {
  const verifier = new Verifier()
  await exportLedger((record) => {
    if (record.accountId === accountId) verifier.take(record)
  })
  expect(verifier.end().faults).toEqual([])
  const entries = await db().ledgerEntry.findMany({ where: { accountId }, orderBy: { seq: 'asc' } })
  return entries.map(({ kind, amount, balanceAfter }) => [kind, Number(amount) / 1e6, Number(balanceAfter) / 1e6])
}

const event = ({ accountId }: AccountCtx, type: string) => db().webhookEvent.count({ where: { accountId, type } })

describe('beginTopUp', () => {
  test('creates a Stripe checkout of the amount and adds no credits', async () => {
    const { ctx, payment } = await bought(50)
    expect(api.requests.at(-1)).toEqual({
      key: 'Bearer sk_test_1',
      idempotencyKey: payment,
      form: expect.objectContaining({
        mode: 'payment',
        client_reference_id: payment,
        'line_items[0][quantity]': '1',
        'line_items[0][price_data][unit_amount]': '4500',
        'line_items[0][price_data][currency]': 'usd',
        success_url: `https://video.example.com/billing?payment=${payment}`,
      }),
    })
    expect(await books(ctx)).toEqual([])
  })

  test('returns an error without the permission and without payment settings', async () => {
    provide(settings)
    await expect(beginTopUp(await makeAccount('DEVELOPER'), { credits: 10 })).rejects.toMatchObject({ code: 'FORBIDDEN' })
    provide({ STRIPE_SECRET_KEY: '' })
    await expect(beginTopUp(await makeAccount(), { credits: 10 })).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(await deliver({ id: 'evt_1' })).toMatchObject({ status: 404 })
  })

  test('returns SERVICE_UNAVAILABLE without Stripe’s message when Stripe refuses', async () => {
    provide(settings)
    api.refuse(true)
    const failed = await beginTopUp(await makeAccount(), { credits: 10 }).catch((error) => error)
    api.refuse(false)
    expect(failed).toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    expect(failed.message).not.toContain('sk_')
  })
})

test.each([
  ['than Stripe accepts', '30000 eur'],
  ['than a payment can have', '1600000 idr'],
])('beginTopUp refuses a purchase of more %s, and names the field', async (_what, price) => {
  provide({ ...settings, CREDIT_PRICE: price })
  const ctx = await makeAccount()
  await expect(beginTopUp(ctx, { credits: 100_000 })).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
    extras: { details: [{ path: 'credits', message: 'This is more than the payment provider accepts at once. Buy fewer credits.' }] },
  })
  expect(await beginTopUp(ctx, { credits: 50 })).toMatchObject({ url: expect.stringContaining('checkout') })
})

describe('a payment', () => {
  test('is credited once under repeated and concurrent deliveries of its event', async () => {
    const { ctx, payment, amount } = await bought()
    const paid = checkoutEvent('evt_paid_once', { payment, amount })
    const answers = await Promise.all(Array.from({ length: 8 }, () => deliver(paid)))
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
    expect(answers.filter(({ taken }) => taken)).toHaveLength(1)
    expect(await deliver(paid)).toEqual({ status: 200, received: true, taken: false })
    expect(await books(ctx)).toEqual([['top_up', 50, 50]])
    expect(await event(ctx, 'wallet.refilled')).toBe(1)
  })

  test('is credited once when two events report it as paid', async () => {
    const { ctx, payment, amount } = await bought()
    await Promise.all([
      deliver(checkoutEvent('evt_two_a', { payment, amount })),
      deliver(checkoutEvent('evt_two_b', { payment, amount }, 'checkout.session.async_payment_succeeded')),
    ])
    expect(await books(ctx)).toEqual([['top_up', 50, 50]])
  })

  test('is credited when it is paid, not when the checkout is completed', async () => {
    const { ctx, payment, amount } = await bought()
    await deliver(checkoutEvent('evt_later_a', { payment, amount, status: 'unpaid' }))
    expect(await books(ctx)).toEqual([])
    await deliver(checkoutEvent('evt_later_b', { payment, amount }, 'checkout.session.async_payment_succeeded'))
    expect(await books(ctx)).toEqual([['top_up', 50, 50]])
  })

  test.each([
    ['signed with another secret', { secret: 'whsec_other' }],
    ['changed on its way', { change: (body: string) => body.replace('"paid"', '"paid" ') }],
    ['an old one, sent again', { timestamp: Math.floor(Date.now() / 1000) - 3_600 }],
  ])('is refused when its event is invalid: %s', async (_what, how) => {
    const { ctx, payment, amount } = await bought()
    expect(await deliver(checkoutEvent(`evt_bad_${_what}`, { payment, amount }), how)).toMatchObject({ status: 400 })
    expect(await books(ctx)).toEqual([])
  })

  test('of another amount or currency returns 409, so that Stripe repeats the event', async () => {
    const { ctx, payment, amount } = await bought()
    expect(await deliver(checkoutEvent('evt_less', { payment, amount: amount - 1 }))).toMatchObject({ status: 409 })
    expect(await deliver(checkoutEvent('evt_yen', { payment, amount, currency: 'jpy' }))).toMatchObject({ status: 409 })
    expect(await books(ctx)).toEqual([])
    // The refused event is not stored as processed.
    expect(await deliver(checkoutEvent('evt_less', { payment, amount }))).toMatchObject({ status: 200, taken: true })
    expect(await books(ctx)).toEqual([['top_up', 50, 50]])
  })

  test.each([
    ['in whole', (id: string) => ({ id, object: 'payment_intent', status: 'succeeded', latest_charge: { id: 'ch_1' } })],
    ['by its id', (id: string) => id],
  ])('is found by its refund when Stripe references the payment intent %s', async (_how, intent) => {
    const { ctx, payment, amount } = await bought()
    const paid = checkoutEvent(`evt_intent_${_how}`, { payment, amount, intent: intent(`pi_${payment}`) })
    expect(await deliver({ ...paid, a_field_of_tomorrow: { deep: [1] } })).toMatchObject({ status: 200, taken: true })
    const refund = refundEvent(`evt_intent_refund_${_how}`, { payment, amount, refunded: amount })
    Object.assign(refund.data.object, { payment_intent: intent(`pi_${payment}`), a_field_of_tomorrow: null })
    await deliver(refund)
    expect((await books(ctx)).at(-1)).toEqual(['refund', 50, 0])
  })

  test('without a payment intent is credited', async () => {
    const { ctx, payment, amount } = await bought()
    await deliver(checkoutEvent('evt_no_intent', { payment, amount, intent: null }))
    expect(await books(ctx)).toEqual([['top_up', 50, 50]])
  })

  test('of another shop on the same Stripe account is ignored', async () => {
    expect(await deliver(checkoutEvent('evt_foreign', { payment: 'order_1', amount: 100 }))).toMatchObject({ status: 200 })
    expect(await deliver({ ...checkoutEvent('evt_unknown', { payment: 'order_1', amount: 100 }), type: 'customer.created' })).toMatchObject(
      { status: 200 },
    )
  })
})

describe('a refund', () => {
  test('debits exactly the refunded amount when events are partial, late, repeated or out of order', async () => {
    const { ctx, payment, amount } = await bought()
    await deliver(checkoutEvent('evt_r_paid', { payment, amount }))
    const part = (id: string, refunded: number) => deliver(refundEvent(id, { payment, amount, refunded }))
    await part('evt_r_2', 1_800)
    await part('evt_r_1', 900)
    await Promise.all([part('evt_r_3', 4_500), part('evt_r_3', 4_500)])
    expect(await books(ctx)).toEqual([
      ['top_up', 50, 50],
      ['refund', 20, 30],
      ['refund', 30, 0],
    ])
  })

  test('debits the remaining balance, and its entry’s reason has the spent amount', async () => {
    const { ctx, payment, amount } = await bought()
    await deliver(checkoutEvent('evt_s_paid', { payment, amount }))
    await correctBalance({ ...ctx, actor: { kind: 'operator' } }, { credits: 45_000_000n, direction: 'take', reason: 'Spent' })
    await deliver(refundEvent('evt_s_refund', { payment, amount, refunded: amount }))
    expect((await books(ctx)).at(-1)).toEqual(['refund', 5, 0])
    const last = await db().ledgerEntry.findFirstOrThrow({ where: { accountId: ctx.accountId }, orderBy: { seq: 'desc' } })
    expect(last.reason).toContain('45 of these credits have already been spent')
  })

  test('that precedes its payment returns 409', async () => {
    const { ctx, payment, amount } = await bought()
    const early = { ...refundEvent('evt_early', { payment, amount, refunded: amount }) }
    Object.assign(early.data.object, { metadata: { paymentId: payment } })
    expect(await deliver(early)).toMatchObject({ status: 409 })
    await deliver(checkoutEvent('evt_early_paid', { payment, amount }))
    expect(await deliver(early)).toMatchObject({ status: 200, taken: true })
    expect((await books(ctx)).at(-1)).toEqual(['refund', 50, 0])
  })
})

const operator = (ctx: AccountCtx): AccountCtx => ({ ...ctx, actor: { kind: 'operator' } })
const spend = (ctx: AccountCtx, credits: bigint) =>
  correctBalance(operator(ctx), { credits: credits * 1_000_000n, direction: 'take', reason: 'Spent' })

async function paid(name: string) {
  const all = await bought()
  await deliver(checkoutEvent(`evt_${name}_paid`, all))
  return all
}

const audited = async ({ accountId }: AccountCtx) =>
  (await db().auditEntry.findMany({ where: { accountId }, orderBy: { id: 'asc' } })).map(({ action }) => action)

describe('a failed refund', () => {
  test('credits the debited amount once', async () => {
    const { ctx, payment, amount } = await paid('rf')
    await deliver(refundEvent('evt_rf_1', { payment, amount, refunded: 1_800 }))
    const failed = refundFailedEvent('evt_rf_2', { payment, amount: 1_800, at: MADE_AT + 900 })
    await Promise.all(Array.from({ length: 4 }, () => deliver(failed)))
    expect(await books(ctx)).toEqual([
      ['top_up', 50, 50],
      ['refund', 20, 30],
      ['refund', 20, 50],
    ])
    expect(await audited(ctx)).toContain('billing.refund_failed')
  })

  test('credits no more than was debited after a partial debit', async () => {
    const { ctx, payment, amount } = await paid('rg')
    await spend(ctx, 45n)
    await deliver(refundEvent('evt_rg_1', { payment, amount, refunded: amount }))
    await deliver(refundFailedEvent('evt_rg_2', { payment, amount, at: MADE_AT + 900 }))
    expect((await books(ctx)).slice(2)).toEqual([
      ['refund', 5, 0],
      ['refund', 5, 5],
    ])
  })

  test.each([
    ['first refund, its failure, second refund', [0, 1, 2]],
    ['the second refund before the failure of the first', [0, 2, 1]],
    ['the failure first', [1, 0, 2]],
    ['the newest first', [2, 1, 0]],
    ['the newest, then in order', [2, 0, 1]],
    ['the failure, the newest, the oldest', [1, 2, 0]],
  ])('has the same result in any order of events: %s', async (name, order) => {
    const { ctx, payment, amount } = await paid(`ro ${name}`)
    const event = [
      refundEvent(`evt_1 ${name}`, { payment, amount, refunded: amount }),
      refundFailedEvent(`evt_2 ${name}`, { payment, amount, at: MADE_AT + 900 }),
      refundEvent(`evt_3 ${name}`, { payment, amount, refunded: 900, at: MADE_AT + 1_800 }),
    ]
    for (const at of order) expect(await deliver(event[at] as object)).toMatchObject({ status: 200, taken: true })
    expect((await books(ctx)).at(-1)?.[2]).toBe(40)
  })
})

describe('a dispute', () => {
  test('debits the withdrawn funds and credits them when it is won', async () => {
    const { ctx, payment, amount } = await paid('d')
    const taken = disputeEvent('evt_d_1', 'withdrawn', { payment, amount })
    await Promise.all(Array.from({ length: 4 }, () => deliver(taken)))
    await deliver(disputeEvent('evt_d_2', 'reinstated', { payment, amount }))
    expect(await books(ctx)).toEqual([
      ['top_up', 50, 50],
      ['dispute', 50, 0],
      ['dispute', 50, 50],
    ])
    expect(await audited(ctx)).toEqual(['billing.checkout', 'billing.top_up', 'billing.dispute', 'billing.dispute_won'])
  })

  test('beyond the balance debits the balance, records the spent amount, and credits the debited amount', async () => {
    const { ctx, payment, amount } = await paid('e')
    await spend(ctx, 45n)
    await deliver(disputeEvent('evt_e_1', 'withdrawn', { payment, amount }))
    const last = await db().ledgerEntry.findFirstOrThrow({ where: { accountId: ctx.accountId }, orderBy: { seq: 'desc' } })
    expect(last.reason).toBe(`Chargeback of payment ${payment}; 45 of these credits have already been spent`)
    await deliver(disputeEvent('evt_e_2', 'reinstated', { payment, amount }))
    expect((await books(ctx)).slice(2)).toEqual([
      ['dispute', 5, 0],
      ['dispute', 5, 5],
    ])
  })

  test('with a balance of 0 writes no entry but an audit record', async () => {
    const { ctx, payment, amount } = await paid('f')
    await spend(ctx, 50n)
    await deliver(disputeEvent('evt_f_1', 'withdrawn', { payment, amount }))
    expect(await books(ctx)).toHaveLength(2)
    expect(await audited(ctx)).toContain('billing.dispute')
  })

  test('after a partial refund debits no more than the payment; once won, the refund is unchanged', async () => {
    const { ctx, payment, amount } = await paid('g')
    await deliver(refundEvent('evt_g_1', { payment, amount, refunded: 900 }))
    await deliver(disputeEvent('evt_g_2', 'withdrawn', { payment, amount }))
    await deliver(disputeEvent('evt_g_3', 'reinstated', { payment, amount }))
    expect(await books(ctx)).toEqual([
      ['top_up', 50, 50],
      ['refund', 10, 40],
      ['dispute', 40, 0],
      ['dispute', 40, 40],
    ])
  })

  test('won before its withdrawal returns 409', async () => {
    const { ctx, payment, amount } = await paid('h')
    const won = disputeEvent('evt_h_2', 'reinstated', { payment, amount })
    expect(await deliver(won)).toMatchObject({ status: 409 })
    await deliver(disputeEvent('evt_h_1', 'withdrawn', { payment, amount }))
    expect(await deliver(won)).toMatchObject({ status: 200, taken: true })
    expect((await books(ctx)).at(-1)).toEqual(['dispute', 50, 50])
  })

  test('of another shop on the same Stripe account is ignored', async () => {
    expect(await deliver(disputeEvent('evt_x_1', 'withdrawn', { payment: 'order_1', amount: 5 }))).toMatchObject({ status: 200 })
    expect(await deliver(refundFailedEvent('evt_x_2', { payment: 'order_1', amount: 5 }))).toMatchObject({ status: 200 })
  })
})

test('payment, refund and dispute of a deleted account are booked without events', async () => {
  const { ctx, payment, amount } = await bought()
  await startQueue(JOBS)
  await deleteAccount(ctx, { name: 'Test' })
  await stopQueue()
  const events = [
    checkoutEvent('evt_gone_1', { payment, amount }, 'checkout.session.async_payment_succeeded'),
    refundEvent('evt_gone_2', { payment, amount, refunded: 900 }),
    disputeEvent('evt_gone_3', 'withdrawn', { payment, amount: 3_600 }),
    disputeEvent('evt_gone_4', 'reinstated', { payment, amount: 3_600 }),
  ]
  for (const event of events) expect(await deliver(event)).toEqual({ status: 200, received: true, taken: true })
  expect(await books(ctx)).toEqual([
    ['top_up', 50, 50],
    ['refund', 10, 40],
    ['dispute', 40, 0],
    ['dispute', 40, 40],
  ])
})
