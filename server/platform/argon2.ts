import type { Worker } from 'node:worker_threads'
import { gate } from './concurrency-gate.ts'
import { env } from './config.ts'
import { log } from './log.ts'
import { processWide } from './process-wide.ts'

/** What argon2id is computed of, as `crypto.argon2` takes it. */
export interface Argon2Parameters {
  message: string
  nonce: Buffer
  memory: number
  passes: number
  parallelism: number
  tagLength: number
}

/** Hashes that may wait for each thread: some three seconds of work on one core. */
const WAITING_PER_THREAD = 30
const RETRY_AFTER_SEC = 5

/** Text and not a file: Next's bundle of the server has no file of ours to start a thread from. */
const PROGRAM = `
const { parentPort } = require('node:worker_threads')
const { argon2Sync } = require('node:crypto')
// On Linux a priority is a thread's own: hashes leave the processor to those who read. Elsewhere it would be the whole process's.
if (process.platform === 'linux') try { require('node:os').setPriority(0, 15) } catch {}
parentPort.on('message', (parameters) => parentPort.postMessage(argon2Sync('argon2id', parameters)))
`

/** Threads without work. A thread that failed is not put back, and the next hash starts another. */
const idle = () => processWide<Worker[]>('argon2-threads', () => [])

/** The gate that all hashing of this process goes through. */
export const hashing = () => {
  const threads = env().PASSWORD_THREADS
  return gate('argon2', { atOnce: threads, waiting: threads * WAITING_PER_THREAD, retryAfter: RETRY_AFTER_SEC })
}

/**
 * Computes argon2id in one of PASSWORD_THREADS threads of its own: `crypto.argon2` would share libuv's four with every file that is read.
 * Errors: `GateFullError` (503 with Retry-After) when too many hashes wait already.
 */
export const argon2id = (parameters: Argon2Parameters): Promise<Buffer> => hashing().run(() => compute(parameters))

async function compute(parameters: Argon2Parameters): Promise<Buffer> {
  const thread = idle().pop() ?? start()
  // Only a hash that is under way keeps the process alive.
  thread.ref()
  const tag = await new Promise<Uint8Array>((resolve, reject) => {
    const answered = (tag: Uint8Array) => settle(() => resolve(tag))
    const ended = () => settle(() => reject(new Error('a thread that hashes passwords ended')))
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
  // Without our settings, some of which are secrets, and without the flags of this process.
  const resourceLimits = { maxOldGenerationSizeMb: 32 }
  // Asked of Node as it runs: a bundler that sees the constructor takes its argument for the name of a file.
  const { Worker: Thread } = process.getBuiltinModule('node:worker_threads')
  const thread = new Thread(PROGRAM, { eval: true, env: {}, execArgv: [], resourceLimits })
  thread.on('error', (error) => log().error({ err: error }, 'a thread that hashes passwords failed'))
  thread.on('exit', () => {
    const at = idle().indexOf(thread)
    if (at >= 0) idle().splice(at, 1)
  })
  return thread
}
