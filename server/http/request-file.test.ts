import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { provide } from '../testing/settings.ts'
import { collectFile } from './request-file.ts'

provide({ BASE_URL: 'http://localhost' })

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

/** Sends `bytes` in each of `seconds`, of a file of 6,000 bytes at most; returns what became of it. */
async function sent(bytes: number, seconds: number): Promise<unknown> {
  const body = new PassThrough()
  const outcome = collectFile(body, 6_000).then(
    (file) => file.length,
    ({ code }: { code: string }) => code,
  )
  for (let second = 1; second <= seconds; second++) {
    if (bytes > 0) body.write(Buffer.alloc(bytes))
    await new Promise(setImmediate)
    vi.advanceTimersByTime(1_000)
  }
  body.end()
  return outcome
}

it('takes a body at the pace of the largest one, however long it is, and what comes within five seconds', async () => {
  expect(await sent(100, 60)).toBe(6_000)
  expect(await sent(1, 5)).toBe(5)
  expect(await sent(0, 5)).toBe(0)
})

it('refuses a slower one, and one that stops', async () => {
  expect(await sent(1, 6)).toBe('REQUEST_TIMEOUT')
  expect(await sent(50, 11)).toBe('REQUEST_TIMEOUT')
  expect(await sent(0, 6)).toBe('REQUEST_TIMEOUT')
})
