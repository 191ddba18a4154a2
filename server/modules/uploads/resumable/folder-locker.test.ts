import { setImmediate as turn } from 'node:timers/promises'
import { ERRORS } from '@tus/server'
import { expect, it, vi } from 'vitest'
import { FolderLocker } from './folder-locker.ts'

const forever = new AbortController().signal
const nothing = () => {}

it('asks the holder once to stop, and sleeps until it does', async () => {
  const locker = new FolderLocker()
  const [first, second] = [locker.newLock('a'), locker.newLock('a')]
  const asked = vi.fn()
  await first.lock(forever, asked)
  const waiting = second.lock(forever, nothing)
  for (let times = 0; times < 20; times++) await turn()
  expect(asked).toHaveBeenCalledTimes(1)
  await first.unlock()
  await waiting
})

it('admits one request at a time, in order of arrival, and asks each to stop for the next', async () => {
  const locker = new FolderLocker()
  const order: string[] = []
  const run = async (name: string) => {
    const lock = locker.newLock('a')
    await lock.lock(forever, () => void order.push(`${name} is asked`))
    order.push(`${name} begins`)
    await turn()
    order.push(`${name} ends`)
    await lock.unlock()
  }
  await Promise.all([run('1'), run('2'), run('3')])
  // The third arrived while the first held it as well.
  expect(order.filter((one) => !one.endsWith('asked'))).toEqual(['1 begins', '1 ends', '2 begins', '2 ends', '3 begins', '3 ends'])
  expect(order).toContain('2 is asked')
  expect(order).not.toContain('3 is asked')
})

it('refuses a request whose client leaves while it waits, and passes over it', async () => {
  const locker = new FolderLocker()
  const [first, second, third] = [locker.newLock('a'), locker.newLock('a'), locker.newLock('a')]
  const client = new AbortController()
  await first.lock(forever, nothing)
  const left = second.lock(client.signal, nothing)
  const stays = third.lock(forever, nothing)
  client.abort()
  await expect(left).rejects.toBe(ERRORS.ERR_LOCK_TIMEOUT)
  await first.unlock()
  await stays
  await third.unlock()
  await expect(locker.newLock('a').lock(forever, nothing)).resolves.toBeUndefined()
})

it('keeps the requests of different uploads apart', async () => {
  const locker = new FolderLocker()
  await locker.newLock('a').lock(forever, nothing)
  await expect(locker.newLock('b').lock(forever, nothing)).resolves.toBeUndefined()
})
