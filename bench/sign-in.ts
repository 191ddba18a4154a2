import { randomUUID } from 'node:crypto'
import { hashPassword } from '../server/account/password.ts'
import { verifyCredentials } from '../server/account/verify-credentials.ts'
import { newId } from '../server/infra/crypto.ts'
import { pool } from '../server/infra/db.ts'
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
    const [wrong, nobody, without] = await inTurn([known, unknown, passwordless])
    return [row('unknown e-mail', nobody, wrong), row('user without a password', without, wrong)]
  })

function row(who: string, took: number, beside: number): Row {
  const ratio = Math.max(took / beside, beside / took)
  return {
    work: `refused sign-in, ${who}`,
    beside: 'wrong password',
    rate: took,
    ceiling: beside,
    ratio,
    reach: WITHIN,
    below: true,
    unit: 'ms',
  }
}

/** Median CPU milliseconds of a refusal for each kind of e-mail, tried in turn. */
async function inTurn(emails: string[][]): Promise<[number, number, number]> {
  const took: number[][] = emails.map(() => [])
  for (let round = 0; round < TRIES; round++)
    for (const [kind, list] of emails.entries()) {
      const began = process.cpuUsage()
      // Each somebody else from a place of their own: the limits on tries are not what is measured.
      const found = await verifyCredentials({ address: randomUUID() }, { email: list[round] as string, password: 'wrong horse battery' })
      if (found) throw new Error('a wrong password was right')
      const { user, system } = process.cpuUsage(began)
      took[kind]?.push((user + system) / 1_000)
    }
  return took.map((times) => times.sort((a, b) => a - b)[TRIES / 2] as number) as [number, number, number]
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
