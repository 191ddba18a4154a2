import { expect, it } from 'vitest'
import { asCaller } from './caller.ts'
import { beginMedia, MEDIA } from './request-turns.ts'

const turnOfTheLoop = () => new Promise(setImmediate)

it('begins a bounded number of a network’s media requests in a turn of the event loop, and another network’s at once', async () => {
  const began: string[] = []
  const begin = (address: string) => asCaller({ address }, () => beginMedia(() => began.push(address)))
  const flood = Array.from({ length: 3 * MEDIA.share }, () => begin('198.51.100.9'))
  expect(began).toHaveLength(MEDIA.share)
  await begin('203.0.113.7')
  expect(began).toHaveLength(MEDIA.share + 1)
  await turnOfTheLoop()
  expect(began.length).toBeLessThanOrEqual(2 * MEDIA.share + 1)
  await Promise.all(flood)
  expect(began).toHaveLength(3 * MEDIA.share + 1)
})
