import { threadId } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import type * as Work from '../../testing/thread-work.ts'
import { services } from '../container.ts'
import { asCaller } from './caller.ts'
import { processorJob } from './processor.ts'

const FILE = 'testing/thread-work.ts'
const whereAmI = processorJob<() => ReturnType<typeof Work.whereAmI>>(FILE, 'whereAmI')
const fail = processorJob<typeof Work.fail>(FILE, 'fail')
const end = processorJob<typeof Work.end>(FILE, 'end')
const block = processorJob<typeof Work.block>(FILE, 'block')

/** Begins jobs of an account that occupy their threads until they are released. */
function blocked(accountId: string, count: number) {
  const memory = new SharedArrayBuffer(4)
  const done = Promise.allSettled(Array.from({ length: count }, () => asCaller({ accountId }, () => block(memory))))
  return () => {
    Atomics.store(new Int32Array(memory), 0, 1)
    Atomics.notify(new Int32Array(memory), 0)
    return done
  }
}

describe('processorJob', () => {
  it('runs in a thread, which it keeps, after requests and without the settings of the process', async () => {
    const first = await whereAmI(undefined)
    expect(first.thread).not.toBe(threadId)
    expect([first.variables, first.priority]).toEqual([[], process.platform === 'linux' ? 15 : 0])
    expect((await whereAmI(undefined)).thread).toBe(first.thread)
  })

  it('leaves a thread to others, whatever an account asks for, and refuses more than its queue holds', async () => {
    const admitted = services().processor.threads.options.maxThreads - 1 + 20
    const release = blocked('acc_a', admitted + 1)
    const others = await asCaller({ accountId: 'acc_b' }, () => whereAmI(undefined))
    expect(others.thread).not.toBe(threadId)
    const ends = await release()
    expect(ends.slice(0, -1)).toEqual(Array(admitted).fill({ status: 'fulfilled', value: 'released' }))
    expect(ends.at(-1)).toMatchObject({ reason: { code: 'TURN_REFUSED', isOwn: true, queue: 'processor' } })
    expect(services().processor.turns.load()).toEqual({ running: 0, waiting: 0 })
  })

  it('rejects with what a job throws, and when its thread ends, and works on', async () => {
    await expect(fail(undefined as never)).rejects.toThrow('a job that fails')
    await expect(end(undefined as never)).rejects.toThrow()
    expect((await whereAmI(undefined)).thread).not.toBe(threadId)
  })
})
