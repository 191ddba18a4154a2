import { describe, expect, it } from 'vitest'
import { asServiceError } from '../errors.ts'
import { Gate, GateFullError } from './concurrency-gate.ts'

/** Returns work that ends when it is released, and records the order of starts. */
function work(began: string[], name: string) {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const run = async () => {
    began.push(name)
    await released
    return name
  }
  return { run, release }
}

describe('Gate', () => {
  it('runs as many at once as allowed, the rest in order of arrival, and refuses the one beyond the queue', async () => {
    const gate = new Gate({ atOnce: 1, waiting: 2, retryAfter: 7 })
    const began: string[] = []
    const admitted = ['a', 'b', 'c'].map((name) => work(began, name))
    const results = admitted.map(({ run }) => gate.run(run))
    await expect(gate.run(work(began, 'd').run)).rejects.toBeInstanceOf(GateFullError)
    expect(gate.load()).toEqual({ running: 1, waiting: 2 })
    for (const { release } of admitted) release()
    expect(await Promise.all(results)).toEqual(['a', 'b', 'c'])
    expect(began).toEqual(['a', 'b', 'c'])
    expect(gate.load()).toEqual({ running: 0, waiting: 0 })
  })

  it('passes the place on when work fails', async () => {
    const gate = new Gate({ atOnce: 1, waiting: 1, retryAfter: 1 })
    const failing = gate.run(() => Promise.reject(new Error('broken')))
    const next = gate.run(async () => 'done')
    await expect(failing).rejects.toThrow('broken')
    expect(await next).toBe('done')
  })

  it('removes a waiting caller whose signal aborts', async () => {
    const gate = new Gate({ atOnce: 1, waiting: 1, retryAfter: 1 })
    const held = work([], 'held')
    const running = gate.run(held.run)
    const caller = new AbortController()
    const waiting = gate.run(async () => 'never', caller.signal)
    caller.abort(new Error('gone'))
    await expect(waiting).rejects.toThrow('gone')
    expect(gate.load()).toEqual({ running: 1, waiting: 0 })
    held.release()
    await running
  })

  it('maps its refusal to 503 with the seconds to wait', () => {
    const error = asServiceError(new GateFullError(7))
    expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', extras: { retryAfter: 7 } })
  })
})
