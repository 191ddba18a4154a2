import { expect } from 'vitest'
import type { AccountCtx } from '../../context.ts'
import type { CreatedKey } from '../../modules/access/keys/create-key.ts'
import { closeAllHours } from '../../modules/billing/close-hours.ts'
import { giveCredit } from '../../modules/billing/credit.ts'
import { exportLedger } from '../../modules/billing/export-ledger.ts'
import { setKeyCap, setLimits, setTier } from '../../modules/billing/set-limits.ts'
import { Verifier } from '../../modules/billing/verify-ledger.ts'
import { db, query } from '../../platform/database/database.ts'
import { send } from '../client.ts'
import { makeAccount, makeKey, makeVideo } from '../make.ts'
import { type Action, EARLIER, type EmittedEvent, type Model, THRESHOLD } from './billing-model.ts'

/** Totals of an account in the database. */
export interface Totals {
  issued: number
  charged: bigint
  balance: bigint
  emitted: EmittedEvent
  /** Tokens of each key and UTC day. */
  days: Map<string, number>
  /** Spent in each month (`2026-11`), and by each key in it (`2026-11 key_…`). */
  spent: Map<string, bigint>
}

/** A new account in the service, and the actions on it through the service's processes. */
export class Subject {
  readonly ctx: AccountCtx
  readonly keys: CreatedKey[]
  private readonly videoId: string
  private readonly urls: string[]
  private turn = 0

  private constructor(ctx: AccountCtx, keys: CreatedKey[], videoId: string, urls: string[]) {
    this.ctx = ctx
    this.keys = keys
    this.videoId = videoId
    this.urls = urls
  }

  static async make(urls: string[]): Promise<Subject> {
    const ctx = await makeAccount()
    const subject = new Subject(ctx, [await makeKey(ctx), await makeKey(ctx)], await makeVideo(ctx), urls)
    await setTier(ctx, { tier: 'PAID' })
    return subject
  }

  /** Sets each key to EARLIER tokens in the UTC day of `now`. */
  async beginDay(now: number): Promise<void> {
    const day = new Date(new Date(now).toISOString().slice(0, 10))
    await db().keyDay.createMany({ data: this.keys.map(({ id }) => ({ keyId: id, day, issued: EARLIER })), skipDuplicates: true })
  }

  /** Performs an action. Resolves with the number of tokens issued. */
  async act(action: Action): Promise<number> {
    const operator: AccountCtx = { ...this.ctx, actor: { kind: 'operator' } }
    if (action.do === 'credit') await giveCredit(operator, { credits: action.credits, reason: 'More' })
    else if (action.do === 'tier') await setTier(this.ctx, action)
    else if (action.do === 'cap') await setLimits(this.ctx, { lowBalanceThreshold: THRESHOLD, monthCap: action.cap })
    else if (action.do === 'keyCap') await setKeyCap(this.ctx, { keyId: this.keys[action.key]?.id as string, monthCap: action.cap })
    else if (action.do === 'close') await closeAllHours()
    else {
      const answers = await Promise.all(Array.from({ length: action.count }, () => this.issue(action.key)))
      for (const { status } of answers) expect([200, 429]).toContain(status)
      return answers.filter(({ status }) => status === 200).length
    }
    return 0
  }

  private issue(key: number) {
    const url = this.urls[this.turn++ % this.urls.length]
    const headers = { 'x-service-key': this.keys[key]?.value as string }
    return send(`${url}/v1/video/${this.videoId}/playback-token`, { method: 'POST', headers })
  }

  /** Reads the totals from the database; fails unless the ledger is consistent. */
  async totals(): Promise<Totals> {
    const { accountId } = this.ctx
    const verifier = new Verifier()
    await exportLedger((record) => {
      if (record.accountId === accountId) verifier.take(record)
    })
    expect(verifier.end().faults).toEqual([])
    const [wallet, hours, days, events] = await Promise.all([
      db().wallet.findUniqueOrThrow({ where: { accountId } }),
      query<{ month: string; key_id: string; tokens: string; cost: string }>('spent-by-month', SPENT, [accountId]),
      db().keyDay.findMany({ where: { keyId: { in: this.keys.map(({ id }) => id) } } }),
      db().webhookEvent.groupBy({ by: ['type'], where: { accountId }, _count: true }),
    ])
    const spent = new Map<string, bigint>()
    const add = (name: string, cost: string) => spent.set(name, (spent.get(name) ?? 0n) + BigInt(cost))
    for (const { month, key_id, cost } of hours) {
      add(month, cost)
      add(`${month} ${key_id}`, cost)
    }
    const count = (type: string) => events.find((event) => event.type === type)?._count ?? 0
    return {
      issued: days.reduce((sum, { issued }) => sum + issued, 0),
      charged: hours.reduce((sum, { tokens }) => sum + BigInt(tokens), 0n),
      balance: wallet.balance,
      emitted: { exhausted: count('playback.token.exhausted'), low: count('wallet.low_balance'), refilled: count('wallet.refilled') },
      days: new Map(days.map(({ keyId, day, issued }) => [`${keyId} ${day.toISOString().slice(0, 10)}`, issued])),
      spent,
    }
  }

  /** Copies the service's state into a model: the order of concurrent actions is unknown. */
  async reload(model: Model): Promise<void> {
    const { accountId } = this.ctx
    const { balance, emitted, days, spent } = await this.totals()
    const { tier } = await db().account.findUniqueOrThrow({ where: { id: accountId }, select: { tier: true } })
    const { monthCap, lowBalanceThreshold } = await db().wallet.findUniqueOrThrow({ where: { accountId } })
    const [day, month] = [10, 7].map((length) => new Date(model.now).toISOString().slice(0, length)) as [string, string]
    Object.assign(model, { tier, balance, cap: monthCap, threshold: lowBalanceThreshold, spent: spent.get(month) ?? 0n })
    Object.assign(model.emitted, emitted)
    for (const [at, { id }] of this.keys.entries()) {
      const cap = await db().keyCap.findUnique({ where: { keyId: id } })
      const today = await db().keyDay.findUniqueOrThrow({ where: { keyId_day: { keyId: id, day: new Date(day) } } })
      const key = {
        cap: cap?.monthCap ?? null,
        spent: spent.get(`${month} ${id}`) ?? 0n,
        issued: days.get(`${id} ${day}`),
        emitted: today.exhausted,
      }
      Object.assign(model.keys[at] as object, key)
    }
  }
}

const SPENT = `SELECT to_char(hour AT TIME ZONE 'UTC', 'YYYY-MM') AS month, key_id, sum(tokens) AS tokens, sum(cost) AS cost
  FROM charge_hour WHERE account_id = $1 GROUP BY 1, 2`
