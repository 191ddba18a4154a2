import { expect, it } from 'vitest'
import { BatchedCounts } from './batched-counts.ts'

class Letters extends BatchedCounts<string> {
  next: string | undefined
  protected take(): string | undefined {
    const taken = this.next
    this.next = undefined
    return taken
  }
}

/** Counts batches whose writes fail while `fails` says so. */
function letters(mostUnwritten: number) {
  const tried: string[] = []
  const state = { fails: (_batch: string) => false }
  const write = async (batch: string) => {
    tried.push(batch)
    if (state.fails(batch)) throw new Error('refused')
  }
  const counts = new Letters({ everyMs: 1_000, mostUnwritten, write, fault: 'could not write letters' })
  const count = async (batch?: string) => {
    counts.next = batch
    await counts.flush()
    return tried.splice(0).join('')
  }
  return { state, count }
}

it('writes other batches while the database refuses one, which it tries again each time', async () => {
  const { state, count } = letters(10)
  state.fails = (batch) => batch === 'x'
  expect(await count('x')).toBe('x')
  expect(await count('a')).toBe('xa')
  expect(await count('b')).toBe('xb')
  state.fails = () => false
  expect(await count()).toBe('x')
  expect(await count()).toBe('')
})

it('tries two batches at a time during an outage, drops batches beyond the limit, and writes the rest afterwards', async () => {
  const { state, count } = letters(3)
  state.fails = () => true
  for (const batch of 'abc') await count(batch)
  expect(await count('d')).toHaveLength(2)
  state.fails = () => false
  expect((await count()).length).toBe(3)
})
