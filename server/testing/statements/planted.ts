import { db, query } from '../../platform/database/database.ts'

const ACCOUNT = 'acc_1'
const ofTier = (tier: 'FREE' | 'PAID') => `SELECT id FROM account WHERE tier = '${tier}'`

/** Statements for the test of the test, each of which says one thing otherwise than PostgreSQL does. They are never run. */
export const PLANTED = {
  'nothing wrong': () =>
    query<{ id: string; suspendedAt: Date | null; keys: number; spent: string; until: Date }>(
      'planted',
      `SELECT a.id, suspended_at AS "suspendedAt", count(k.id)::int AS keys, COALESCE(sum(k.request_count), 0) AS spent, deleted_at AS until
       FROM account a LEFT JOIN api_key k ON k.account_id = a.id WHERE a.id = $1 AND deleted_at IS NOT NULL GROUP BY a.id`,
      [ACCOUNT],
    ),
  'a missing column': () => query<{ id: string; nmae: string }>('planted', 'SELECT id, name FROM account', []),
  'a wrong type': () => query<{ balance: number }>('planted', 'SELECT balance FROM wallet', []),
  'the type of the other driver': () => db().$queryRaw<{ balance: string }[]>`SELECT balance FROM wallet`,
  'a value that the type has not': () => query<{ tier: 'FREE' }>('planted', 'SELECT tier FROM account', []),
  'a column that may be null': () => query<{ at: Date }>('planted', 'SELECT suspended_at AS at FROM account', []),
  'a column of an outer join': () =>
    query<{ id: string; key: string }>('planted', 'SELECT a.id, k.id AS key FROM account a LEFT JOIN api_key k ON k.account_id = a.id', []),
  'an expression that may be null': () => query<{ last: Date }>('planted', 'SELECT max(created_at) AS last FROM account', []),
  'a wrong parameter': () => query<{ id: string }>('planted', 'SELECT id FROM api_key WHERE daily_quota = $1', [ACCOUNT]),
  'a parameter too many': () => query<{ id: string }>('planted', ofTier('FREE'), [ACCOUNT]),
  'a column that is gone': () => query<{ id: string }>('planted', 'SELECT id FROM account WHERE gone', []),
  'one of two texts': (tier: 'FREE' | 'PAID') =>
    query<{ id: string }>('planted', tier === 'FREE' ? ofTier(tier) : 'SELECT name FROM account', []),
  'a text that is made at run time': (text: string) => query<{ id: string }>('planted', text, []),
}
