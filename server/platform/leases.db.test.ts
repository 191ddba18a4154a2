import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { stopClock } from '../testing/clock.ts'
import { testDatabase } from '../testing/database.ts'
import { db, query, transaction } from './database/database.ts'
import { isHeld, LEASE_MS, type LeaseKind, Leases, newLease, releaseLease, takeLease } from './leases.ts'

await testDatabase()
const BEGIN = Date.UTC(2030, 0, 1)
const setClock = await stopClock(new Date(BEGIN))
const KIND = { table: 'test_work', rows: 'id = $1' }
await query(
  '',
  'CREATE TABLE test_work (id int PRIMARY KEY, lease_id uuid, leased_until timestamptz, due_at timestamptz, written int DEFAULT 0)',
  [],
)
beforeEach(() => query('', 'INSERT INTO test_work SELECT generate_series(1, 4)', []))
afterEach(() => query('', 'DELETE FROM test_work', []))

const write = async (lease: string) =>
  (await query('test-write', 'UPDATE test_work SET written = written + 1 WHERE lease_id = $1 RETURNING 1', [lease])).length === 1
const untilOf = async (id: number) => {
  const [row] = await query<{ until: Date | null }>('test-until', 'SELECT leased_until AS until FROM test_work WHERE id = $1', [id])
  return row?.until?.getTime()
}

/** Mulberry32: numbers from 0 to below `end`, the same ones for the same seed. */
function randomOf(seed: number) {
  let state = seed
  return (end: number) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end)
  }
}

/** A lease as a process knows it; one of a killed process is never renewed again. */
interface Held {
  id: number
  lease: string
  drop: () => void
  losses: number
}

test.each([Math.floor(Math.random() * 1e9), Math.floor(Math.random() * 1e9)])(
  'never two processes may write, whoever is killed when: seed %i',
  async (seed) => {
    const random = randomOf(seed)
    let now = BEGIN
    await setClock(new Date(now))
    const started = () => ({ leases: new Leases(), held: [] as Held[] })
    const processes = [started(), started(), started()]
    const all: Held[] = []
    /** What the table must say. */
    const rows = new Map<number, { lease: string; until: number } | undefined>()
    const counts = { taken: 0, refused: 0, fenced: 0 }
    const isFree = (id: number) => (rows.get(id)?.until ?? 0) <= now

    const actions = [
      async () => {
        const id = 1 + random(4)
        const wasFree = isFree(id)
        // All ask at once.
        const asked = processes.map((process) => ({ process, lease: newLease() }))
        const states = await Promise.all(asked.map(({ lease }) => takeLease(KIND, lease, [id])))
        expect(states.filter((state) => state === 'taken')).toHaveLength(wasFree ? 1 : 0)
        counts.refused += states.filter((state) => state === 'held').length
        const winner = asked[states.indexOf('taken')]
        if (!winner) return
        const { process, lease } = winner
        const held: Held = { id, lease, drop: () => {}, losses: 0 }
        held.drop = process.leases.keep(KIND, lease, { onLost: () => held.losses++ })
        process.held.push(held)
        all.push(held)
        rows.set(id, { lease, until: now + LEASE_MS })
        counts.taken++
      },
      async () => {
        const process = processes[random(3)] ?? started()
        const before = process.held.map(({ losses }) => losses)
        await process.leases.renew()
        for (const [at, { id, lease, losses }] of process.held.entries()) {
          const row = rows.get(id)
          const isMine = row?.lease === lease
          if (isMine) row.until = now + LEASE_MS
          expect(losses - (before[at] ?? 0)).toBe(isMine ? 0 : 1)
        }
      },
      async () => {
        const { held } = processes[random(3)] ?? started()
        const [one] = held.splice(random(held.length), 1)
        if (!one) return
        one.drop()
        await releaseLease(KIND, one.lease)
        if (rows.get(one.id)?.lease === one.lease) rows.set(one.id, undefined)
      },
      async () => {
        const one = all[random(all.length)]
        if (!one) return
        const isMine = rows.get(one.id)?.lease === one.lease
        expect(await write(one.lease)).toBe(isMine)
        if (!isMine) counts.fenced++
      },
      async () => {
        now += random(LEASE_MS)
        await setClock(new Date(now))
      },
      // A killed process renews nothing, and its late writes are still on their way.
      async () => void (random(4) === 0 && processes.splice(random(3), 1, started())),
    ]
    for (let step = 0; step < 500; step++) await actions[random(actions.length)]?.()
    for (const [id, row] of rows) expect(await untilOf(id)).toBe(row?.until)
    for (const count of Object.values(counts)) expect(count).toBeGreaterThan(0)
  },
)

test('a lease is renewed to its end and no further', async () => {
  await setClock(new Date(BEGIN))
  const process = new Leases()
  const [long, short, over] = [newLease(), newLease(), newLease()]
  for (const [at, lease] of [long, short, over].entries()) await takeLease(KIND, lease, [at + 1])
  process.keep(KIND, long)
  process.keep(KIND, short, { until: performance.now() + LEASE_MS - 500 })
  process.keep(KIND, over, { until: performance.now() })
  await setClock(new Date(BEGIN + 1_000))
  await process.renew()
  expect(await untilOf(1)).toBe(BEGIN + 1_000 + LEASE_MS)
  expect(await untilOf(2)).toBeLessThanOrEqual(BEGIN + 500 + LEASE_MS)
  expect(await untilOf(3)).toBe(BEGIN + LEASE_MS)
})

test('a renewal neither waits for a row that a transaction changes nor takes its lease for lost', async () => {
  await setClock(new Date(BEGIN))
  const process = new Leases()
  const onLost = vi.fn()
  for (const id of [1, 2]) {
    const lease = newLease()
    await takeLease(KIND, lease, [id])
    process.keep(KIND, lease, { onLost })
  }
  await setClock(new Date(BEGIN + 1_000))
  await transaction(async (other) => {
    await other.query('SELECT FROM test_work WHERE id = 1 FOR UPDATE')
    await process.renew()
  })
  expect([await untilOf(1), await untilOf(2)]).toEqual([BEGIN + LEASE_MS, BEGIN + 1_000 + LEASE_MS])
  expect(onLost).not.toHaveBeenCalled()
})

test('taking what does not exist resolves with absent', async () => {
  expect(await takeLease(KIND, newLease(), [9])).toBe('absent')
})

test('a process learns with its next renewal that another one took its work', async () => {
  await setClock(new Date(BEGIN))
  const process = new Leases()
  const onLost = vi.fn()
  const [late, next] = [newLease(), newLease()]
  await takeLease(KIND, late, [1])
  process.keep(KIND, late, { onLost })
  await setClock(new Date(BEGIN + LEASE_MS))
  expect(await takeLease(KIND, next, [1])).toBe('taken')
  await process.renew()
  expect(onLost).toHaveBeenCalledOnce()
  await releaseLease(KIND, late)
  expect([await write(late), await write(next)]).toEqual([false, true])
})

test('taking and returning assign what their work counts, in a transaction as well', async () => {
  await setClock(new Date(BEGIN))
  const kind = { ...KIND, set: 'written = written + $2' }
  const lease = newLease()
  await db().$transaction(async (tx) => {
    expect(await takeLease(kind, lease, [1, 5], tx)).toBe('taken')
    expect(await takeLease(kind, newLease(), [1, 5], tx)).toBe('held')
  })
  expect(await isHeld(kind, lease)).toBe(true)
  await db().$transaction((on) => releaseLease(kind, lease, { afterSec: 60, set: 'written = written * $2', values: [3], on }))
  await releaseLease(kind, lease, { afterSec: 90, set: 'written = 0' })
  expect(await query('test-row', 'SELECT * FROM test_work WHERE id = 1', [])).toEqual([
    { id: 1, lease_id: null, leased_until: null, due_at: new Date(BEGIN + 60_000), written: 15 },
  ])
  expect(await isHeld(kind, lease)).toBe(false)
})

/** Returns a kind with a table of its own, which has the row 1. */
async function anotherKind(table: string, fields: Partial<LeaseKind>): Promise<LeaseKind> {
  await query('', `CREATE TABLE ${table} AS SELECT * FROM test_work WHERE id = 1`, [])
  return { ...KIND, ...fields, table }
}

test('work that yields goes to the process that asks last, and the one before learns it', async () => {
  await setClock(new Date(BEGIN))
  const kind = await anotherKind('test_yielding', { yields: true })
  const process = new Leases()
  const onLost = vi.fn()
  const [first, second] = [newLease(), newLease()]
  await takeLease(kind, first, [1])
  process.keep(kind, first, { onLost })
  expect(await takeLease(kind, second, [1])).toBe('taken')
  await process.renew()
  expect(onLost).toHaveBeenCalledOnce()
  expect([await isHeld(kind, first), await isHeld(kind, second)]).toEqual([false, true])
})

test('a lease is lost once its rows do not have the condition of their kind', async () => {
  const kind = await anotherKind('test_live', { live: 'written = 0' })
  const process = new Leases()
  const onLost = vi.fn()
  const lease = newLease()
  await takeLease(kind, lease, [1])
  process.keep(kind, lease, { onLost })
  await process.renew()
  expect([await isHeld(kind, lease), onLost.mock.calls.length]).toEqual([true, 0])
  await query('', 'UPDATE test_live SET written = 1', [])
  await process.renew()
  expect([await isHeld(kind, lease), onLost.mock.calls.length]).toEqual([false, 1])
})

test('a renewal that fails is no loss, and is reported', async () => {
  const process = new Leases()
  const [onLost, onFailed] = [vi.fn(), vi.fn()]
  process.keep({ table: 'no_such_table' }, newLease(), { onLost, onFailed })
  await process.renew()
  expect([onLost.mock.calls.length, onFailed.mock.calls.length]).toEqual([0, 1])
})
