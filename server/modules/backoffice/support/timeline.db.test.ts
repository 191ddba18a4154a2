import { beforeAll, expect, it } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { db, query } from '../../../platform/database/database.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount, makeKey, makeVideo } from '../../../testing/make.ts'
import { makeEndpoint } from '../../../testing/make-endpoint.ts'
import { cookieFor } from '../../../testing/sign-in.ts'
import { makeStaff } from '../../../testing/staff.ts'
import { giveCredit } from '../../billing/credit.ts'
import { creditInput } from '../../billing/schema.ts'
import { emit } from '../../webhooks/endpoints/emit.ts'
import { addNote } from './notes.ts'
import { supportContext } from './open-account.ts'
import { requireStaff, type StaffCtx } from './staff.ts'
import type { TimelineKind } from './state.ts'
import { supportTimeline } from './timeline.ts'
import { kindOfAction } from './timeline-sources.ts'

await testDatabase()

let owner: AccountCtx
let accountId: string
let staff: StaffCtx
let video: string

beforeAll(async () => {
  owner = await makeAccount()
  accountId = owner.accountId
  const member = await makeAccount()
  await makeStaff(member)
  staff = await requireStaff(member, 'req_test')
  await cookieFor(owner)
  await makeKey(owner)
  video = await makeVideo(owner, { title: 'Trailer' })
  const payload = { videoId: video, durationSec: 0, qualities: [], encrypted: true, externalId: null, reason: 'Not a video.' }
  const { id } = await makeEndpoint(owner, 'https://hooks.example.com/one')
  await query('', `UPDATE webhook_endpoint SET events = ARRAY['video.processing.failed'] WHERE id = $1`, [id])
  await db().$transaction((tx) => emit(tx, owner.accountId, 'video.processing.failed', payload))
  await query('', `UPDATE webhook_delivery SET failure_reason = 'No response', changed_at = service_now() WHERE account_id = $1`, [
    accountId,
  ])
  await giveCredit(supportContext(staff, accountId), creditInput.parse({ credits: '5', reason: 'Goodwill' }))
  await addNote(staff, { accountId, body: 'Called about <b>invoices</b>' })
  // Another account's events must not appear.
  const other = await makeAccount()
  await makeKey(other)
  await addNote(staff, { accountId: other.accountId, body: 'Another account' })
})

/** Every event, read in pages by their cursors. */
async function all(kinds: TimelineKind[] = []) {
  const events: Awaited<ReturnType<typeof supportTimeline>>['events'] = []
  let cursor: string | undefined
  do {
    const page = await supportTimeline(staff, { accountId, kinds, cursor })
    events.push(...page.events)
    cursor = page.nextCursor ?? undefined
  } while (cursor)
  return events
}

it('merges everything that happened to an account, the newest first', async () => {
  const events = await all()
  const found = events.map(({ kind, what, detail }) => [kind, what, detail])
  for (const event of [
    ['sign-ins', 'signed in', expect.stringContaining('password, ')],
    ['keys', 'created a key', null],
    ['videos', 'Transcoding failed', 'Not a video.'],
    ['webhooks', 'Webhook delivery failed', 'No response'],
    ['billing', 'Credit: +5 credits', 'Balance: 0 → 5\nGoodwill'],
    ['notes', 'wrote a note', 'Called about <b>invoices</b>'],
    ['support', 'viewed the account', 'timeline'],
  ])
    expect(found).toContainEqual(event)
  const times = events.map(({ at }) => at.getTime())
  expect(times).toEqual(times.toSorted((one, other) => other - one))
  expect(found.filter(([, what]) => what === 'created a key')).toHaveLength(1)
  // The ledger has it with its amount, so that the entry of the audit log is left out.
  expect(found.filter(([kind]) => kind === 'billing')).toHaveLength(1)
  expect(events.find(({ what }) => what === 'Transcoding failed')?.subject).toEqual({ id: video, name: 'Trailer' })
  expect(JSON.stringify(events)).not.toContain('Another account')
})

it('shows the chosen kinds alone', async () => {
  for (const kind of ['keys', 'notes', 'billing', 'videos', 'sign-ins'] as const)
    expect([kind, [...new Set((await all([kind])).map((event) => event.kind))]]).toEqual([kind, [kind]])
})

it('repeats and omits nothing from page to page, also among events of one moment', async () => {
  const entries = 130
  await query(
    '',
    `INSERT INTO audit_entry (account_id, actor, action, subject, created_at)
     SELECT $1, 'system', 'video.edit', 'vid_' || n, date_trunc('hour', service_now()) FROM generate_series(1, ${entries}) n`,
    [accountId],
  )
  await query(
    '',
    `INSERT INTO account_note (id, account_id, author_id, author_email, body, created_at)
     SELECT 'nte_' || n, $1, 'usr_x', 'x@example.com', n::text, date_trunc('hour', service_now()) FROM generate_series(1, ${entries}) n`,
    [accountId],
  )
  for (const kinds of [[], ['videos', 'notes']] as TimelineKind[][]) {
    const ids = (await all(kinds)).map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.filter((id) => id.startsWith('note:nte_'))).toHaveLength(entries + 1)
    expect(ids.filter((id) => id.startsWith('audit:')).length).toBeGreaterThanOrEqual(entries)
  }
})

it('refuses a cursor that it did not make', async () => {
  for (const cursor of ['x', Buffer.from('["1"]').toString('base64url'), Buffer.from('["1 OR 1=1","","","","",""]').toString('base64url')])
    await expect(supportTimeline(staff, { accountId, kinds: [], cursor })).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
})

it('reads each source by an index', async () => {
  const plan = async (sql: string, values: unknown[]) => {
    await query('', 'SET enable_seqscan = off', [])
    return JSON.stringify(await query('', `EXPLAIN ${sql}`, values))
  }
  expect(
    await plan(
      `SELECT seq FROM webhook_event WHERE account_id = $1 AND type IN ('video.processing.completed', 'video.processing.failed') AND NOT sample
       ORDER BY seq DESC LIMIT 51`,
      [accountId],
    ),
  ).toContain('webhook_event_outcome_idx')
  expect(
    await plan(
      'SELECT 1 FROM webhook_delivery WHERE account_id = $1 AND failure_reason IS NOT NULL ORDER BY changed_at DESC, id DESC LIMIT 51',
      [accountId],
    ),
  ).toContain('webhook_delivery_dead_account_idx')
})

it('assigns each action to one kind', () => {
  expect(
    ['user.totp.on', 'team.join', 'support.suspend', 'support.quota', 'billing.quota.request', 'support.view', 'billing.tier'].map(
      kindOfAction,
    ),
  ).toEqual(['sign-ins', 'account', 'measures', 'quotas', 'quotas', 'support', 'billing'])
})
