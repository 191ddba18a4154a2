import { expect, it } from 'vitest'
import { despiteFailures } from './despite-failures.ts'

const facts = (item: number) => ({ item })

it('continues after an item that fails, and throws its error at the end', async () => {
  const done: number[] = []
  const work = async (item: number) => {
    if (item === 2) throw new Error('the second is broken')
    done.push(item)
  }
  await expect(despiteFailures([1, 2, 3], { facts }, work)).rejects.toThrow('the second is broken')
  expect(done).toEqual([1, 3])
})

it('ends at once when it is interrupted', async () => {
  const stopping = new AbortController()
  const done: number[] = []
  const work = async (item: number) => {
    stopping.abort(new Error('The worker is stopping.'))
    done.push(item)
    throw new Error('interrupted')
  }
  await expect(despiteFailures([1, 2], { facts, signal: stopping.signal }, work)).rejects.toThrow('The worker is stopping.')
  expect(done).toEqual([1])
})
