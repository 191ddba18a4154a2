import { randomUUID } from 'node:crypto'
import { JOBS } from '../server/jobs.ts'
import { hashPassword } from '../server/modules/auth/password-hash.ts'
import { requestPasswordReset } from '../server/modules/auth/password-reset-request.ts'
import { beginSignUp } from '../server/modules/auth/sign-up-begin.ts'
import { verifyCredentials } from '../server/modules/auth/verify-credentials.ts'
import { provide } from '../server/platform/config.ts'
import { newId } from '../server/platform/crypto.ts'
import { pool } from '../server/platform/database.ts'
import { startQueue, stopQueue } from '../server/platform/job-queue.ts'
import { withDatabase } from './database.ts'
import type { Row } from './report.ts'

const TRIES = 60
const WITHIN = 1.05

/** How long a refused sign-in takes must not tell who has an account. CPU time, so that what else the machine does counts for nothing. */
export const benchSignIn = () =>
  withDatabase(async () => {
    const known = await people(await hashPassword('correct horse battery'))
    const passwordless = await people(null)
    const unknown = known.map(() => `${randomUUID()}@example.com`)
    const [wrong = 0, nobody = 0, without = 0] = await inTurn([known, unknown, passwordless], refused)
    return [
      row('refused sign-in, unknown e-mail', 'wrong password', nobody, wrong),
      row('refused sign-in, user without a password', 'wrong password', without, wrong),
      ...(await links(known, unknown)),
    ]
  })

/** Asking for a link by mail must not tell either; the letters themselves are a worker's, and none runs here. */
async function links(known: string[], unknown: string[]): Promise<Row[]> {
  provide({ SMTP_URL: 'smtp://127.0.0.1:9' })
  await startQueue(JOBS)
  const ask = {
    'new password asked for': (email: string) => requestPasswordReset({ address: randomUUID() }, { email }),
    'account asked for': (email: string) => beginSignUp({ address: randomUUID() }, { email }),
  }
  const rows: Row[] = []
  for (const [work, once] of Object.entries(ask)) {
    // Once for nothing: what is prepared the first time.
    for (const email of [...known.slice(0, 10), ...unknown.slice(0, 10)]) await once(email)
    const [there = 0, absent = 0] = await inTurn([known, unknown], once, 10)
    rows.push(row(`${work}, unknown e-mail`, 'known e-mail', absent, there))
  }
  await stopQueue()
  return rows
}

function row(work: string, name: string, took: number, beside: number): Row {
  const ratio = Math.max(took / beside, beside / took)
  return {
    work,
    beside: name,
    rate: took,
    ceiling: beside,
    ratio,
    reach: WITHIN,
    below: true,
    unit: 'ms',
  }
}

/** Each somebody else from a place of their own: the limits on tries are not what is measured. */
async function refused(email: string): Promise<void> {
  const found = await verifyCredentials({ address: randomUUID() }, { email, password: 'wrong horse battery' })
  if (found) throw new Error('a wrong password was right')
}

/** Median CPU milliseconds of `once`, done `times` over, for each kind of e-mail, tried in turn; which kind is first changes. */
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
