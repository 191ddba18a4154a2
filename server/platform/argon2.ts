import type { Worker } from 'node:worker_threads'
import { currentSubject } from './caller.ts'
import { env } from './config.ts'
import { services } from './container.ts'
import { log } from './log.ts'
import { Turns } from './turns.ts'

/** Parameters of argon2id, in the form of `crypto.argon2`. */
export interface Argon2Parameters {
  message: string
  nonce: Buffer
  memory: number
  passes: number
  parallelism: number
  tagLength: number
}

/** Hashes of one network or account that may wait for each thread: about three seconds of work on one core. */
const WAITING_PER_THREAD = 30
const RETRY_AFTER_SEC = 5

/** Text instead of a file: Next's bundle of the server has no separate file from which to start a thread. */
const PROGRAM = `
const { parentPort } = require('node:worker_threads')
const { argon2Sync } = require('node:crypto')
// On Linux each thread has its own priority: hashes yield the processor to requests. Elsewhere it would apply to the whole process.
if (process.platform === 'linux') try { require('node:os').setPriority(0, 15) } catch {}
parentPort.on('message', (parameters) => parentPort.postMessage(argon2Sync('argon2id', parameters)))
`

declare module './container.ts' {
  interface Services {
    hashing: Turns
    idleHashThreads: Worker[]
  }
}

/** Idle threads. A failed thread is not returned, and the next hash starts another. */
const idle = () => services().idleHashThreads

/** The turns of all hashing in this process. */
export const hashing = () => services().hashing

export function makeHashing(): Turns {
  const threads = env().PASSWORD_THREADS
  const share = Math.ceil(threads / 2)
  return new Turns({
    name: 'hashing',
    places: threads,
    share,
    alone: threads,
    queue: threads * WAITING_PER_THREAD,
    retryAfter: RETRY_AFTER_SEC,
  })
}

/**
 * Computes argon2id in one of PASSWORD_THREADS dedicated threads: `crypto.argon2` would share libuv's four with every file access. Errors:
 * `TurnRefused` when too many hashes of the caller's network or account wait.
 */
export const argon2id = (parameters: Argon2Parameters): Promise<Buffer> => hashing().run(currentSubject(), () => compute(parameters))

async function compute(parameters: Argon2Parameters): Promise<Buffer> {
  const thread = idle().pop() ?? start()
  // Only a hash in progress keeps the process alive.
  thread.ref()
  const tag = await new Promise<Uint8Array>((resolve, reject) => {
    const answered = (tag: Uint8Array) => settle(() => resolve(tag))
    const ended = () => settle(() => reject(new Error('a password hashing thread ended')))
    const settle = (done: () => void) => {
      thread.off('message', answered).off('exit', ended)
      done()
    }
    thread.on('message', answered).on('exit', ended)
    thread.postMessage(parameters)
  })
  thread.unref()
  idle().push(thread)
  return Buffer.from(tag)
}

function start(): Worker {
  // Without the service's settings, some of which are secrets, and without the flags of this process.
  const resourceLimits = { maxOldGenerationSizeMb: 32 }
  // Loaded at run time: a bundler that sees the constructor interprets its argument as the name of a file.
  const { Worker: Thread } = process.getBuiltinModule('node:worker_threads')
  const thread = new Thread(PROGRAM, { eval: true, env: {}, execArgv: [], resourceLimits })
  thread.on('error', (error) => log().error({ err: error }, 'a password hashing thread failed'))
  thread.on('exit', () => {
    const at = idle().indexOf(thread)
    if (at >= 0) idle().splice(at, 1)
  })
  return thread
}
