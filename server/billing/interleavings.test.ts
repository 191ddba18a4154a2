import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import type { AccountCtx } from '../context.ts'
import { db, query } from '../infra/db.ts'
import type { CreatedKey } from '../key/mint.ts'
import { send } from '../testing/client.ts'
import { stopClock } from '../testing/clock.ts'
import { testDatabase } from '../testing/database.ts'
import { makeAccount, makeKey, makeVideo } from '../testing/make.ts'
import { type ServerProcess, startProcesses } from '../testing/processes.ts'
import { readBooks } from './books.ts'
import { closeAllHours } from './close-hours.ts'
import { giveCredit } from './credit.ts'
import { setKeyCap } from './set-key-cap.ts'
import { setLimits } from './set-limits.ts'
import { setTier } from './set-tier.ts'
import { Verifier } from './verify.ts'

const [FREE, PAID, PRICE] = [1_000, 1_010, 500n]
/** Tokens that each key has issued when a day begins, so that both quotas are near. */
const EARLIER = 992
const HOUR = 3_600_000
const BEGIN = Date.parse('2026-11-29T21:30:00Z')

await testDatabase()
const put = await stopClock(new Date(BEGIN))
let processes: ServerProcess[]
beforeAll(async () => {
  processes = await startProcesses(4, { settings: { PAID_DAILY_QUOTA: String(PAID) } })
})

/** One account as the rules say it must be: what the service does is compared with this. */
class Model {
  tier: 'FREE' | 'PAID' = 'PAID'
  balance = 0n
  credited = 0n
  cap: bigint | null = null
  now = BEGIN
  spent = 0n
  readonly keys: { caps: bigint | null; spent: bigint; issued: number; charged: bigint }[] = [0, 1].map(() => ({
    ...{ caps: null, spent: 0n, issued: EARLIER, charged: 0n },
  }))

  /** One token; whether it is issued. */
  issue(at: number): boolean {
    const key = this.keys[at] as Model['keys'][number]
    const rooms = [this.balance, this.cap === null ? null : this.cap - this.spent, key.caps === null ? null : key.caps - key.spent]
    const pays = this.tier === 'PAID' && rooms.every((room) => room === null || room >= PRICE)
    if (key.issued >= (pays ? PAID : FREE)) return false
    key.issued++
    if (pays) {
      this.balance -= PRICE
      this.spent += PRICE
      key.spent += PRICE
      key.charged += 1n
    }
    return true
  }

  wait(ms: number): void {
    const [before, after] = [new Date(this.now), new Date(this.now + ms)]
    this.now += ms
    for (const key of this.keys) {
      if (before.getUTCDate() !== after.getUTCDate()) key.issued = EARLIER
      if (before.getUTCMonth() !== after.getUTCMonth()) key.spent = 0n
    }
    if (before.getUTCMonth() !== after.getUTCMonth()) this.spent = 0n
  }
}

const amount = fc.integer({ min: 1, max: 12 }).map((tokens) => BigInt(tokens) * PRICE)
const offset = fc.constantFrom(0n, 1n, 499n)
const cap = fc.option(fc.tuple(amount, offset).map(([base, more]) => base + more))
const key = fc.nat(1)
const issue = fc.record({ do: fc.constant('issue' as const), key, count: fc.integer({ min: 1, max: 14 }) })
const action = fc.oneof(
  { weight: 4, arbitrary: issue },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('credit' as const), credits: fc.tuple(amount, offset).map(([base, more]) => base + more) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('tier' as const), tier: fc.constantFrom('FREE' as const, 'PAID' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cap' as const), cap }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('keyCap' as const), key, cap }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('close' as const) }) },
)
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('one' as const), action }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('storm' as const), actions: fc.array(action, { minLength: 3, maxLength: 8 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(HOUR, 2.4 * HOUR, 24 * HOUR, 31 * 24 * HOUR) }),
  },
)
type Action = typeof action extends fc.Arbitrary<infer Value> ? Value : never

/** A fresh account in the service, and what can be done to it. */
class Subject {
  readonly ctx: AccountCtx
  readonly keys: CreatedKey[]
  readonly videoId: string
  private turn = 0

  constructor(ctx: AccountCtx, keys: CreatedKey[], videoId: string) {
    this.ctx = ctx
    this.keys = keys
    this.videoId = videoId
  }

  static async make(): Promise<Subject> {
    const ctx = await makeAccount()
    const subject = new Subject(ctx, [await makeKey(ctx), await makeKey(ctx)], await makeVideo(ctx))
    await setTier(ctx, { tier: 'PAID' })
    await subject.at(BEGIN)
    return subject
  }

  /** Puts the clock there; each key begins its day with EARLIER tokens. */
  async at(now: number): Promise<void> {
    await put(new Date(now))
    const day = new Date(new Date(now).toISOString().slice(0, 10))
    for (const { id } of this.keys) await db().keyDay.createMany({ data: { keyId: id, day, issued: EARLIER }, skipDuplicates: true })
  }

  /** Answers how many tokens were issued. */
  async act(action: Action): Promise<number> {
    const operator: AccountCtx = { ...this.ctx, actor: { kind: 'operator' } }
    if (action.do === 'credit') await giveCredit(operator, { credits: action.credits, reason: 'More' })
    else if (action.do === 'tier') await setTier(this.ctx, action)
    else if (action.do === 'cap') await setLimits(this.ctx, { lowBalanceThreshold: 4n * PRICE, monthCap: action.cap })
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
    const { url } = processes[this.turn++ % processes.length] as ServerProcess
    return send(`${url}/v1/video/${this.videoId}/playback-token`, {
      method: 'POST',
      headers: { 'x-service-key': this.keys[key]?.value as string },
    })
  }

  /** Tokens, charged tokens and micro-credits left, as the database has them; and the books must be whole. */
  async state() {
    const verifier = new Verifier()
    await readBooks((record) => {
      if (record.accountId === this.ctx.accountId) verifier.take(record)
    })
    expect(verifier.end().faults).toEqual([])
    const [row] = await query<{ issued: string; charged: string; balance: string; spent: string }>(
      'state',
      `SELECT (SELECT sum(issued) FROM key_day WHERE key_id = ANY ($2)) AS issued, balance,
        (SELECT COALESCE(sum(tokens), 0) FROM charge_hour WHERE account_id = $1) AS charged, month_spent AS spent FROM wallet WHERE account_id = $1`,
      [this.ctx.accountId, this.keys.map(({ id }) => id)],
    )
    return { issued: Number(row?.issued), charged: BigInt(row?.charged as string), balance: BigInt(row?.balance as string) }
  }
}

/** What the model expects of an action; answers how many tokens it issues. */
function expected(model: Model, action: Action): number {
  if (action.do === 'issue') return Array.from({ length: action.count }, () => model.issue(action.key)).filter(Boolean).length
  if (action.do === 'credit') {
    model.balance += action.credits
    model.credited += action.credits
  } else if (action.do === 'tier') model.tier = action.tier
  else if (action.do === 'cap') model.cap = action.cap
  else if (action.do === 'keyCap') Object.assign(model.keys[action.key] as object, { caps: action.cap })
  return 0
}

/** Many things at once, in an order nobody knows: what must hold whichever it was. */
async function storm(subject: Subject, actions: Action[], credited: bigint): Promise<void> {
  const before = await subject.state()
  const issued = await Promise.all(actions.map((action) => subject.act(action)))
  const after = await subject.state()
  expect(after.issued - before.issued).toBe(issued.reduce((sum, count) => sum + count, 0))
  const added = actions.reduce((sum, action) => sum + (action.do === 'credit' ? action.credits : 0n), 0n)
  expect(after.balance).toBe(credited + added - after.charged * PRICE)
}

test('balance = opening + credits − tokens × price, and exactly the tokens that the rules allow, in any order through 4 processes', {
  timeout: 240_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 12 }), async (steps) => {
      const [subject, model] = [await Subject.make(), new Model()]
      for (const one of steps) {
        if (one.do === 'wait') {
          model.wait(one.ms)
          await subject.at(model.now)
        } else if (one.do === 'one') {
          expect(await subject.act(one.action)).toBe(expected(model, one.action))
          const { balance, charged } = await subject.state()
          expect(balance).toBe(model.balance)
          expect(balance).toBe(model.credited - charged * PRICE)
        } else {
          await storm(subject, one.actions, model.credited)
          // In an order nobody knows, so the model cannot follow: a storm is the end of a history.
          return
        }
      }
    }),
    { numRuns: 25 },
  )
})

test('two keys that spend the last credit at the same time share it exactly', { timeout: 120_000 }, async () => {
  for (let round = 0; round < 12; round++) {
    const subject = await Subject.make()
    const issue = (key: number): Action => ({ do: 'issue', key, count: 12 })
    await subject.act({ do: 'credit', credits: 9n * PRICE })
    await storm(subject, [issue(0), issue(1)], 9n * PRICE)
    expect((await subject.state()).balance).toBe(0n)
  }
})
