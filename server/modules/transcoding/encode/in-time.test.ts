import { expect, it } from 'vitest'
import { inTime, TAKES_TOO_LONG } from './in-time.ts'

/** A step that ends when it is interrupted. */
const endless = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason))
  })
const never = new AbortController().signal

it('refuses a source of which a step exceeds its time limit, and no other', async () => {
  await expect(inTime({ ms: 1, stopping: never }, endless)).rejects.toMatchObject({ name: 'Refusal', message: TAKES_TOO_LONG })
  await expect(inTime({ ms: 60_000, stopping: AbortSignal.abort(new Error('stop')) }, endless)).rejects.toThrow('stop')
  await expect(inTime({ ms: 60_000, stopping: never }, async () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(await inTime({ ms: 60_000, stopping: never }, async () => 1)).toBe(1)
})
