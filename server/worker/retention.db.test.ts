import { expect, it } from 'vitest'
import type { AccountCtx } from '../context.ts'
import type { JobName } from '../jobs.ts'
import { db, query, transaction } from '../platform/database/database.ts'
import { deleteInSlices } from '../platform/database/delete-slices.ts'
import { testDatabase } from '../testing/database.ts'
import { makeAccount, makeVideo } from '../testing/make.ts'
import { runners } from './runners.ts'

await testDatabase()

const signal = new AbortController().signal
const run = (job: JobName) => runners[job]({} as never, signal)

/** Kinds of rows that end: the SQL that makes one with the id $2 that ended at $3, its job, and how long it is kept. */
const KINDS: { table: string; id: string; job: JobName; kept: string; insert: string }[] = [
  {
    ...{ table: 'webhook_event', id: 'id', job: 'webhook.purge', kept: '7 days' },
    insert: `INSERT INTO webhook_event (id, account_id, type, sample, payload, created_at) VALUES ($2, $1, 'wallet.refilled', true, '{}', $3)`,
  },
  {
    ...{ table: 'webhook_event', id: 'id', job: 'webhook.purge', kept: '90 days' },
    insert: `INSERT INTO webhook_event (id, account_id, type, payload, created_at) VALUES ($2, $1, 'wallet.refilled', '{}', $3)`,
  },
  {
    ...{ table: 'direct_upload', id: 'id', job: 'upload.expire', kept: '30 days' },
    insert: `INSERT INTO direct_upload (id, account_id, key_id, fields, max_bytes, expires_at, state, ended_at, video_id)
      VALUES ($2, $1, 'key_1', '{}', 1, $3, 'failed', $3, 'vid_' || $2)`,
  },
  {
    ...{ table: 'bulk_action', id: 'id', job: 'video.purge', kept: '30 days' },
    insert: `INSERT INTO bulk_action (id, account_id, user_id, email, request_id, kind, total, finished_at) VALUES ($2, $1, '', '', '', 'delete', 1, $3)`,
  },
  {
    ...{ table: 'share_link', id: 'id', job: 'session.sweep', kept: '30 days' },
    insert: `INSERT INTO share_link (id, video_id, token_hash, name, created_by, expires_at, unfurls)
      SELECT $2, id, convert_to($2, 'UTF8'), '', '', $3, false FROM video WHERE account_id = $1`,
  },
  {
    ...{ table: 'share_link', id: 'id', job: 'session.sweep', kept: '30 days' },
    insert: `INSERT INTO share_link (id, video_id, token_hash, name, created_by, expires_at, unfurls, revoked_at)
      SELECT $2, id, convert_to($2, 'UTF8'), '', '', '2100-01-01', false, $3 FROM video WHERE account_id = $1`,
  },
  {
    ...{ table: 'invitation', id: 'id', job: 'session.sweep', kept: '90 days' },
    insert: `INSERT INTO invitation (id, account_id, email, role, token_hash, invited_by_email, expires_at, ended_at)
      VALUES ($2, $1, $2, 'VIEWER', convert_to($2, 'UTF8'), '', '2100-01-01', $3)`,
  },
  {
    ...{ table: 'token_idempotency', id: 'key_id', job: 'session.sweep', kept: '1 hour' },
    insert: `INSERT INTO token_idempotency (key_id, request_hash, video_id, policy_hash, jti, issued_at) VALUES ($2, convert_to($1, 'UTF8'), '', '', '', $3)`,
  },
  {
    ...{ table: 'email_link', id: 'email', job: 'session.sweep', kept: '0 days' },
    insert: `INSERT INTO email_link (hash, purpose, email, expires_at) VALUES (convert_to($1 || $2, 'UTF8'), 'sign-up', $2, $3)`,
  },
  {
    ...{ table: 'viewer', id: 'id', job: 'session.sweep', kept: '400 days' },
    insert: `INSERT INTO viewer (id, account_id, own_id, last_seen_at) VALUES ($2, $1, '', $3)`,
  },
  {
    ...{ table: 'playback_end', id: 'subject', job: 'session.sweep', kept: '0 days' },
    insert: `INSERT INTO playback_end (subject, account_id, number, expires_at) VALUES ($2, $1, 1, $3)`,
  },
]

async function make(ctx: AccountCtx, insert: string, name: string, ago: string): Promise<void> {
  const [row] = await query<{ at: Date }>('ago', 'SELECT service_now() - $1::interval AS at', [ago])
  await query('', insert, [ctx.accountId, name, row?.at])
}

it.each(KINDS.map((kind, at) => ({ ...kind, at })))('$job deletes rows of $table $kept after their end ($at)', async (kind) => {
  const { table, id, job, kept, insert, at } = kind
  const ctx = await makeAccount()
  await makeVideo(ctx)
  const [old, young] = [`old-${at}`, `young-${at}`]
  await make(ctx, insert, old, `${kept} 1 minute`)
  await make(ctx, insert, young, `${kept} -1 minute`)
  await run(job)
  const left = await query<{ id: string }>('', `SELECT ${id} AS id FROM ${table} WHERE ${id} = ANY ($1)`, [[old, young]])
  expect(left.map((row) => row.id)).toEqual([young])
})

it('keeps as many viewers of each account as its limit allows, those seen last', async () => {
  const [crowded, other] = [await makeAccount(), await makeAccount()]
  await db().accountLimit.create({ data: { accountId: crowded.accountId, name: 'viewers', value: 2, reason: '', setBy: '' } })
  for (const { accountId } of [crowded, other])
    await query(
      '',
      `INSERT INTO viewer (id, account_id, own_id, last_seen_at)
       SELECT $1 || n, $1, '', service_now() - make_interval(mins => n) FROM generate_series(1, 5) n`,
      [accountId],
    )
  await run('session.sweep')
  const left = async ({ accountId }: AccountCtx) =>
    (await db().viewer.findMany({ where: { accountId }, orderBy: { id: 'asc' } })).map(({ id }) => id.slice(accountId.length))
  expect(await left(crowded)).toEqual(['1', '2'])
  expect(await left(other)).toEqual(['1', '2', '3', '4', '5'])
  // A limit of zero keeps none.
  await db().accountLimit.updateMany({ where: { accountId: crowded.accountId }, data: { value: 0 } })
  await run('session.sweep')
  expect(await left(crowded)).toEqual([])
})

it('deletes many rows in slices, without waiting for one that is locked', async () => {
  const values = `SELECT convert_to('many' || at, 'UTF8'), 'sign-up', 'many' || at, service_now() - interval '1 day' FROM generate_series(1, 2500) AS at`
  await query('', `INSERT INTO email_link (hash, purpose, email, expires_at) ${values}`, [])
  const gone = await transaction(async (on) => {
    await on.query(`SELECT 1 FROM email_link WHERE email = 'many7' FOR UPDATE`)
    return deleteInSlices('email_link', 'email LIKE $1', ['many%'])
  })
  expect(gone).toBe(2_499)
  expect(await deleteInSlices('email_link', 'email LIKE $1', ['many%'])).toBe(1)
})
