import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, expect, it } from 'vitest'
import { asServiceError } from '../../../errors.ts'
import { childEnvironment } from '../../../platform/config/config.ts'
import { services } from '../../../platform/container.ts'
import { hashing } from '../../../platform/secrets/argon2.ts'
import { asCaller, currentSubject } from '../../../platform/turns/caller.ts'
import { hashPassword } from './password-hash.ts'

const ADDRESS = '192.0.2.1'
const program = join(import.meta.dirname, '../../../testing/hash-threads.ts')

/** Returns the output of the program with one thread for all files; ended after five minutes, when hashing waits for that thread. */
async function withOneThread(mode: 'held' | 'queued'): Promise<Record<string, unknown>> {
  const environment = { ...childEnvironment(), UV_THREADPOOL_SIZE: '1' }
  const { stdout } = await promisify(execFile)(process.execPath, [program, mode], { env: environment, timeout: 300_000 })
  return JSON.parse(stdout)
}

it('a password is hashed while the only thread for files is occupied', async () => {
  expect(await withOneThread('held')).toEqual({ hashed: true })
})

it('files are read while hashes run and wait', async () => {
  const { unfinished, hashed } = (await withOneThread('queued')) as { unfinished: number; hashed: number }
  expect(hashed).toBe(20)
  expect(unfinished).toBeGreaterThan(0)
})

let release: (() => void)[] = []
afterEach(() => {
  for (const one of release) one()
  release = []
})

it('beyond the queue of its network hashing is refused with 429 and Retry-After, and resumes when the queue has a free place', async () => {
  services().passwordThreads = 2
  const held = Array.from({ length: 2 + 60 }, () =>
    asCaller({ address: ADDRESS }, () => hashing().run(currentSubject(), () => new Promise<void>((resolve) => void release.push(resolve)))),
  )
  expect(hashing().load()).toEqual({ running: 2, waiting: 60 })
  const hash = () => asCaller({ address: ADDRESS }, () => hashPassword('correct horse battery'))
  const refused = asServiceError(await hash().catch((error: unknown) => error))
  expect(refused).toMatchObject({ code: 'TOO_MANY_ATTEMPTS', extras: { retryAfter: 5 } })
  while (release.length > 0) {
    for (const one of release.splice(0)) one()
    await new Promise((resolve) => setImmediate(resolve))
  }
  await Promise.all(held)
  expect(await hash()).toMatch(/^\$argon2id\$/)
})
