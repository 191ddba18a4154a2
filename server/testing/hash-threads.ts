import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hashPassword } from '../modules/identity/sign-in/password-hash.ts'
import { services } from '../platform/container.ts'
import { provide } from './settings.ts'

/**
 * A program for server/modules/identity/sign-in/hashing.process.test.ts, run with UV_THREADPOOL_SIZE=1. `held`: the only thread for files waits in a
 * pipe that has no writer while a password is hashed. `queued`: files are read while hashes run and wait. Prints its observations as JSON.
 */
provide({})
services().passwordThreads = 1
const folder = mkdtempSync(join(tmpdir(), 'reelgate-hash-'))

async function held(): Promise<object> {
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  const reading = open(pipe, 'r')
  const hash = await hashPassword('correct horse battery')
  const writer = openSync(pipe, 'w')
  closeSync(writer)
  await (await reading).close()
  return { hashed: hash.startsWith('$argon2id$') }
}

async function queued(): Promise<object> {
  const hashes = 20
  let hashed = 0
  const all = Array.from({ length: hashes }, () => hashPassword('correct horse battery').then(() => hashed++))
  for (let round = 0; round < 20; round++) await readFile(import.meta.filename)
  const before = hashed
  await Promise.all(all)
  return { unfinished: hashes - before, hashed }
}

const seen = await (process.argv[2] === 'held' ? held() : queued())
rmSync(folder, { recursive: true })
process.stdout.write(JSON.stringify(seen))
