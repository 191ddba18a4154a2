import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { type Action, FREE, Model, PAID, PRICE } from '../../testing/billing/billing-model.ts'
import { Subject } from '../../testing/billing/billing-subject.ts'
import { stopClock } from '../../testing/clock.ts'
import { testDatabase } from '../../testing/database.ts'
import { rounds } from '../../testing/media/rounds.ts'
import { startWebProcesses } from '../../testing/services/web-process.ts'

const HOUR = 3_600_000
/** An hour and a half before a midnight within the month. */
const BEGIN = Date.parse('2026-11-29T22:30:00Z')

await testDatabase()
const put = await stopClock(new Date(BEGIN))
let urls: string[]
beforeAll(async () => {
  urls = (await startWebProcesses(4, { settings: { PAID_DAILY_QUOTA: String(PAID) } })).map(({ url }) => url)
})

const amount = fc.integer({ min: 1, max: 12 }).map((tokens) => BigInt(tokens) * PRICE)
const offset = fc.constantFrom(0n, 1n, 499n)
const some = fc.tuple(amount, offset).map(([base, more]) => base + more)
const cap = fc.option(some)
const key = fc.nat(1)
const one = <Kind extends Action['do']>(kind: Kind) => fc.constant(kind)
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: one('issue'), key, count: fc.integer({ min: 1, max: 14 }) }) },
  { weight: 2, arbitrary: fc.record({ do: one('credit'), credits: some }) },
  { weight: 1, arbitrary: fc.record({ do: one('tier'), tier: fc.constantFrom('FREE' as const, 'PAID' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: one('cap'), cap }) },
  { weight: 1, arbitrary: fc.record({ do: one('keyCap'), key, cap }) },
  { weight: 1, arbitrary: fc.record({ do: one('close') }) },
)
/** Two hours cross a midnight; a day and two hours, from the second day on, cross the end of a month. */
const ms = fc.constantFrom(HOUR, 2 * HOUR, 26 * HOUR, 31 * 24 * HOUR)
type Step = { do: 'one'; action: Action } | { do: 'wait'; ms: number } | { do: 'storm'; actions: Action[]; ms: number }
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('one' as const), action }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('storm' as const),
      actions: fc.array(action, { minLength: 3, maxLength: 8 }),
      ms: fc.oneof(fc.constant(0), ms),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), ms }) },
)

const monthOf = (now: number) => new Date(now).toISOString().slice(0, 7)
const dayOf = (now: number) => new Date(now).toISOString().slice(0, 10)
const largest = (caps: (bigint | null)[]) =>
  caps.includes(null) ? null : ((caps as bigint[]).toSorted((one, other) => (one < other ? 1 : -1))[0] ?? null)

/** Concurrent operations around midnight in an unknown order; checks the invariants that hold for every order. */
async function storm(subject: Subject, model: Model, actions: Action[], ms: number): Promise<void> {
  const later = model.now + ms
  await subject.beginDay(later)
  const before = await subject.totals()
  const acting = actions.map((action) => subject.act(action))
  if (ms > 0) {
    await Promise.race(acting)
    await put(new Date(later))
  }
  const issued = await Promise.all(acting)
  const after = await subject.totals()

  expect(after.issued - before.issued).toBe(issued.reduce((sum, count) => sum + count, 0))
  for (const action of actions) if (action.do === 'credit') model.credited += action.credits
  expect(after.balance).toBe(model.credited - after.charged * PRICE)
  const tiers = [model.tier, ...actions.flatMap((action) => (action.do === 'tier' ? [action.tier] : []))]
  if (!tiers.includes('PAID')) expect(after.charged).toBe(before.charged)

  const quota = tiers.includes('PAID') ? PAID : FREE
  const caps = largest([model.cap, ...actions.flatMap((action) => (action.do === 'cap' ? [action.cap] : []))])
  for (const month of new Set([monthOf(model.now), monthOf(later)])) {
    // Spending before a cap was set can exceed it.
    const held = (name: string, cap: bigint | null) => {
      const [was, is] = [before.spent.get(name) ?? 0n, after.spent.get(name) ?? 0n]
      if (cap !== null && is > was) expect(is).toBeLessThanOrEqual(cap)
    }
    held(month, caps)
    for (const [at, { id }] of subject.keys.entries()) {
      const own = actions.flatMap((action) => (action.do === 'keyCap' && action.key === at ? [action.cap] : []))
      held(`${month} ${id}`, largest([model.keys[at]?.cap ?? null, ...own]))
    }
  }
  for (const { id } of subject.keys) {
    for (const day of [dayOf(model.now), dayOf(later)]) {
      const name = `${id} ${day}`
      if ((after.days.get(name) ?? 0) > (before.days.get(name) ?? 0)) expect(after.days.get(name)).toBeLessThanOrEqual(quota)
    }
  }
  const days = new Set([dayOf(model.now), dayOf(later)]).size
  expect(after.emitted.exhausted - before.emitted.exhausted).toBeLessThanOrEqual(subject.keys.length * days)
  expect(after.emitted.refilled - before.emitted.refilled).toBe(actions.filter((action) => action.do === 'credit').length)
  model.now = later
  await subject.reload(model)
}

async function live(steps: Step[]): Promise<void> {
  await put(new Date(BEGIN))
  const [subject, model] = [await Subject.make(urls), new Model(BEGIN)]
  await subject.beginDay(BEGIN)
  for (const step of steps) {
    if (step.do === 'storm') await storm(subject, model, step.actions, step.ms)
    else if (step.do === 'wait') {
      model.wait(step.ms)
      await subject.beginDay(model.now)
      await put(new Date(model.now))
    } else {
      expect(await subject.act(step.action)).toBe(model.act(step.action))
      const { balance, charged, emitted } = await subject.totals()
      expect({ balance, emitted }).toEqual({ balance: model.balance, emitted: model.emitted })
      expect(balance).toBe(model.credited - charged * PRICE)
    }
  }
}

const issue = (key: number, count: number): Action => ({ do: 'issue', key, count })
/** Starts before the last midnight of a month, with concurrent operations across it. */
const OVER_THE_MONTH: Step[] = [
  { do: 'one', action: { do: 'credit', credits: 40n * PRICE } },
  { do: 'one', action: { do: 'cap', cap: 9n * PRICE } },
  { do: 'wait', ms: 24 * HOUR },
  { do: 'storm', actions: [issue(0, 14), issue(1, 14), { do: 'close' }, issue(0, 14), issue(1, 14)], ms: 2 * HOUR },
  { do: 'one', action: issue(0, 14) },
  { do: 'one', action: issue(1, 14) },
]

test('balance = opening + credits − tokens × price, with exactly the permitted tokens and events, in any order over 4 processes', {
  timeout: rounds(240_000, 3_600_000, 120_000),
}, async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), live), {
    numRuns: rounds(15, 200, 5),
    // Concurrent operations run in a different order each time, so shrinking would take hours.
    endOnFailure: true,
    examples: [[OVER_THE_MONTH]],
  })
})

test('two keys that spend the last credit concurrently share it exactly', async () => {
  await put(new Date(BEGIN))
  for (let round = 0; round < 12; round++) {
    const [subject, model] = [await Subject.make(urls), new Model(BEGIN)]
    await subject.beginDay(BEGIN)
    expect(await subject.act({ do: 'credit', credits: 9n * PRICE })).toBe(model.act({ do: 'credit', credits: 9n * PRICE }))
    await storm(subject, model, [issue(0, 12), issue(1, 12)], 0)
    expect((await subject.totals()).balance).toBe(0n)
  }
})
