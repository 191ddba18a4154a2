import { randomUUID } from 'node:crypto'
import { JOBS } from '../server/jobs.ts'
import { hashPassword } from '../server/modules/auth/password-hash.ts'
import { requestPasswordReset } from '../server/modules/auth/password-reset-request.ts'
import { beginSignUp } from '../server/modules/auth/sign-up-begin.ts'
import { verifyCredentials } from '../server/modules/auth/verify-credentials.ts'
import { env } from '../server/platform/config.ts'
import { services } from '../server/platform/container.ts'
import { newId } from '../server/platform/crypto.ts'
import { pool } from '../server/platform/database.ts'
import { startQueue, stopQueue } from '../server/platform/job-queue.ts'
import { withDatabase } from './database.ts'
import type { Row } from './report.ts'

const TRIES = 60
const WITHIN = 1.05

/**
 * Checks that the duration of a refused sign-in does not reveal which accounts exist. Measures CPU time, so that other work of the machine
 * does not count.
 */
export const benchSignIn = () =>
  withDatabase(async () => {
    const known = await people(await hashPassword('correct horse battery'))
    const passwordless = await people(null)
    const unknown = known.map(() => `${randomUUID()}@example.com`)
    const [wrong = 0, absent = 0, without = 0] = await inTurn([known, unknown, passwordless], refused)
    return [
      row('rejected sign-in, unknown email', 'wrong password', absent, wrong),
      row('rejected sign-in, user without a password', 'wrong password', without, wrong),
      ...(await links(known, unknown)),
    ]
  })

/** Checks the same for requesting a link by e-mail; the e-mails are sent by a worker, and none runs here. */
async function links(known: string[], unknown: string[]): Promise<Row[]> {
  services().settings = { ...env(), SMTP_URL: 'smtp://127.0.0.1:9' }
  await startQueue(JOBS)
  const ask = {
    'password reset requested': (email: string) => requestPasswordReset({ address: randomUUID() }, { email }),
    'sign-up requested': (email: string) => beginSignUp({ address: randomUUID() }, { email }),
  }
  const rows: Row[] = []
  for (const [work, once] of Object.entries(ask)) {
    // A first run whose result is discarded: the code initializes lazily.
    for (const email of [...known.slice(0, 10), ...unknown.slice(0, 10)]) await once(email)
    const [there = 0, absent = 0] = await inTurn([known, unknown], once, 10)
    rows.push(row(`${work}, unknown email`, 'known email', absent, there))
  }
  await stopQueue()
  return rows
}

function row(work: string, name: string, took: number, baseline: number): Row {
  const ratio = Math.max(took / baseline, baseline / took)
  return {
    work,
    baseline: name,
    rate: took,
    ceiling: baseline,
    ratio,
    reach: WITHIN,
    below: true,
    unit: 'ms',
  }
}

/** Signs in with an e-mail from a separate address: the limits on attempts are not measured. */
async function refused(email: string): Promise<void> {
  const found = await verifyCredentials({ address: randomUUID() }, { email, password: 'wrong horse battery' })
  if (found) throw new Error('a wrong password was accepted')
}

/** Returns the median CPU milliseconds of `once`, run `times` times, for each kind of e-mail, in turn; the first kind alternates. */
async function inTurn(emails: string[][], once: (email: string) => Promise<void>, times = 1): Promise<number[]> {
  const took: number[][] = emails.map(() => [])
  for (let round = 0; round < TRIES; round++)
    for (let turn = 0; turn < emails.length; turn++) {
      const kind = (round + turn) % emails.length
      const email = emails[kind]?.[round] as string
      const began = process.cpuUsage()
      for (let time = 0; time < times; time++) await once(email)
      const { user, system } = process.cpuUsage(began)
      took[kind]?.push((user + system) / 1_000)
    }
  return took.map((all) => all.sort((a, b) => a - b)[TRIES / 2] as number)
}

async function people(passwordHash: string | null): Promise<string[]> {
  const all = Array.from({ length: TRIES }, () => ({ userId: newId('usr'), accountId: newId('acc') }))
  for (const { userId, accountId } of all) {
    const values = [userId, emailOf(userId), passwordHash]
    await pool().query('INSERT INTO app_user (id, email, password_hash) VALUES ($1, $2, $3)', values)
    await pool().query('INSERT INTO account (id, name) VALUES ($1, $2)', [accountId, 'Bench'])
    await pool().query(`INSERT INTO membership (account_id, user_id, role) VALUES ($1, $2, 'OWNER')`, [accountId, userId])
  }
  return all.map(({ userId }) => emailOf(userId))
}

const emailOf = (userId: string) => `${userId.toLowerCase()}@example.com`
