import { expect, it } from 'vitest'
import type { AccountCtx, Actor } from '../../context.ts'
import { db, query } from '../../platform/database/database.ts'
import { testDatabase } from '../../testing/database.ts'
import { makeAccount, makeKey, makeMember, makeVideo } from '../../testing/make.ts'
import { makeEndpoint } from '../../testing/make-endpoint.ts'
import { exportAudit } from './export.ts'
import { listAudit } from './list.ts'
import { auditFilterOptions, type ReadEntry } from './read.ts'
import { record } from './record.ts'
import { AUDIT_PAGE, type AuditFilter, auditFilter } from './schema.ts'

await testDatabase()

const write = (ctx: AccountCtx, change: Parameters<typeof record>[2], actor: Actor = ctx.actor) =>
  db().$transaction((tx) => record(tx, { accountId: ctx.accountId, actor }, change))
const emailOf = ({ actor }: AccountCtx) => (actor as { email: string }).email
const exported = async (ctx: AccountCtx, format: 'csv' | 'json', filter: AuditFilter = {}) => {
  let text = ''
  for await (const piece of exportAudit(ctx, { format, filter })) text += piece
  return text
}
/** Changes the time of entries; otherwise the table is append-only. */
async function backdate(ctx: AccountCtx, at: string): Promise<void> {
  await query('a1', 'ALTER TABLE audit_entry DISABLE TRIGGER audit_entry_append_only', [])
  await query('a2', 'UPDATE audit_entry SET created_at = $2 WHERE account_id = $1', [ctx.accountId, at])
  await query('a3', 'ALTER TABLE audit_entry ENABLE TRIGGER audit_entry_append_only', [])
}

it('exports long entries a few at a time, and short ones many at a time', async () => {
  const ctx = await makeAccount()
  const entry = (text: string) => ({ accountId: ctx.accountId, actor: 'system', action: 'video.edit', subject: 'vid_a', after: { text } })
  const long = 'x'.repeat(50_000)
  await db().auditEntry.createMany({ data: Array.from({ length: 130 }, (_, at) => entry(at < 10 || at >= 120 ? long : 'short')) })
  const pieces: string[] = []
  for await (const piece of exportAudit(ctx, { format: 'json', filter: {} })) pieces.push(piece)
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(128 * 1024)
  expect(pieces.length).toBeLessThan(15)
  const texts = (JSON.parse(pieces.join('')) as ReadEntry[]).map(({ after }) => after?.text)
  expect(texts).toEqual([...Array(10).fill(long), ...Array(110).fill('short'), ...Array(10).fill(long)])
})

it('names actor, action and subject', async () => {
  const ctx = await makeAccount()
  const member = await makeMember(ctx, 'DEVELOPER')
  const key = await makeKey(member, { name: 'Shop' })
  const videoId = await makeVideo(ctx, { title: 'Trailer' })
  await write(ctx, { action: 'video.edit', subject: videoId, before: { title: 'Old' }, after: { title: 'Trailer' } })
  const { id: endpointId } = await makeEndpoint(ctx, 'https://hooks.example.com/one')
  await write(ctx, { action: 'webhook.disable', subject: endpointId }, { kind: 'system' })
  await write(ctx, { action: 'billing.credit', subject: ctx.accountId, after: { credits: '5' } }, { kind: 'operator' })
  await write(ctx, { action: 'support.view', subject: ctx.accountId }, { kind: 'support', userId: 'usr_s', email: 'help@example.com' })
  await write(ctx, { action: 'video.edit', subject: 'vid_gone' }, { kind: 'key', keyId: key.id, scopes: [], environment: 'LIVE' })
  const { entries, nextCursor } = await listAudit(ctx, {})
  expect(nextCursor).toBeNull()
  expect(entries.map(({ actor, action, subject }) => [actor.kind, actor.name, action, subject.name])).toEqual([
    ['key', 'Shop', 'video.edit', null],
    ['support', 'help@example.com', 'support.view', null],
    ['operator', 'Operator', 'billing.credit', null],
    ['system', 'Reelgate', 'webhook.disable', 'https://hooks.example.com/one'],
    ['person', emailOf(ctx), 'video.edit', 'Trailer'],
    ['person', emailOf(member), 'key.create', 'Shop'],
  ])
  expect(entries[4]).toMatchObject({ before: { title: 'Old' }, after: { title: 'Trailer' }, subject: { id: videoId } })
})

it('names a former member', async () => {
  const ctx = await makeAccount()
  const member = await makeMember(ctx, 'DEVELOPER')
  await makeKey(member)
  await db().user.delete({ where: { id: (member.actor as { userId: string }).userId } })
  expect((await listAudit(ctx, {})).entries[0]?.actor).toMatchObject({ kind: 'person', name: emailOf(member) })
})

it('filters by actor, action, subject and UTC days', async () => {
  const ctx = await makeAccount()
  const member = await makeMember(ctx, 'DEVELOPER')
  await makeKey(ctx)
  await backdate(ctx, '2026-01-31T23:59:59.999Z')
  await makeKey(member)
  await write(member, { action: 'video.edit', subject: 'vid_1' })
  const found = async (filter: AuditFilter) => (await listAudit(ctx, filter)).entries.map(({ action, actor }) => `${action} ${actor.name}`)
  const { actors, actions } = await auditFilterOptions(ctx)
  expect(actors.map(({ name }) => name).sort()).toEqual([emailOf(ctx), emailOf(member)].sort())
  expect(actions).toEqual(['key.create', 'video.edit'])
  const actor = (member.actor as { userId: string }).userId
  expect(await found({ actor })).toEqual([`video.edit ${emailOf(member)}`, `key.create ${emailOf(member)}`])
  expect(await found({ action: 'key.create' })).toHaveLength(2)
  expect(await found({ action: 'key.create', actor })).toEqual([`key.create ${emailOf(member)}`])
  expect(await found({ subject: 'vid_1' })).toEqual([`video.edit ${emailOf(member)}`])
  expect(await found({ subject: 'vid_1', action: 'key.create' })).toEqual([])
  expect(await found({ to: '2026-01-31' })).toEqual([`key.create ${emailOf(ctx)}`])
  expect(await found({ from: '2026-01-31', to: '2026-01-31' })).toEqual([`key.create ${emailOf(ctx)}`])
  expect(await found({ to: '2026-01-30' })).toEqual([])
  expect(await found({ from: '2026-02-01' })).toHaveLength(2)
  expect(await found({ range: 'today' })).toEqual(await found({ from: new Date().toISOString().slice(0, 10) }))
  expect(await found({ range: 'yesterday' })).toEqual([])
  expect(auditFilter.safeParse({ from: '2026-02-02', to: '2026-02-01' }).success).toBe(false)
})

it('returns each entry once over all pages, also while more are written', async () => {
  const ctx = await makeAccount()
  const total = AUDIT_PAGE * 2 + 7
  for (let at = 0; at < total; at++) await write(ctx, { action: 'video.edit', subject: `vid_${at}` })
  const seen: string[] = []
  let cursor: string | undefined
  do {
    const page = await listAudit(ctx, { cursor })
    seen.push(...page.entries.map(({ subject }) => subject.id))
    cursor = page.nextCursor ?? undefined
    await write(ctx, { action: 'video.edit', subject: 'vid_late' })
  } while (cursor)
  expect(seen).toEqual(Array.from({ length: total }, (_, at) => `vid_${total - 1 - at}`))
})

const asStaff = (userId: string): Actor => ({ kind: 'support', userId, email: `${userId}@example.com` })
const view = (page: string) => ({ action: 'support.view', subject: 'acc_x', after: { page } }) as const

it('lists consecutive views by one member of staff as one row, and each of them on request', async () => {
  const ctx = await makeAccount()
  await write(ctx, view('keys'), asStaff('usr_a'))
  await write(ctx, view('keys'), asStaff('usr_b'))
  await makeKey(ctx)
  for (const page of ['account', 'keys', 'account']) await write(ctx, view(page), asStaff('usr_a'))
  const { entries } = await listAudit(ctx, {})
  const shown = entries.map(({ actor, action, views }) => [actor.name, action, views?.count, views?.pages])
  expect(shown).toEqual([
    ['usr_a@example.com', 'support.view', 3, ['account', 'keys']],
    [emailOf(ctx), 'key.create', undefined, undefined],
    ['usr_b@example.com', 'support.view', undefined, undefined],
    ['usr_a@example.com', 'support.view', undefined, undefined],
  ])
  expect((await listAudit(ctx, { action: 'support.view', actor: 'support:usr_a' })).entries).toHaveLength(4)
})

it('fills a page with changes that many views separate, and returns each once over all pages', async () => {
  const ctx = await makeAccount()
  const [changes, between] = [AUDIT_PAGE + 10, 5]
  await query(
    '',
    `INSERT INTO audit_entry (account_id, actor, action, subject, after)
     SELECT $1, 'support:usr_a', CASE n % ${between} WHEN 0 THEN 'video.edit' ELSE 'support.view' END, 'vid_' || n, '{"page": "keys"}'
     FROM generate_series(1, ${changes * between}) n`,
    [ctx.accountId],
  )
  const rows: Awaited<ReturnType<typeof listAudit>>['entries'] = []
  let cursor: string | undefined
  do {
    const page = await listAudit(ctx, { cursor })
    if (rows.length === 0) expect(page.entries).toHaveLength(AUDIT_PAGE)
    rows.push(...page.entries)
    cursor = page.nextCursor ?? undefined
  } while (cursor)
  expect(rows.filter(({ action }) => action === 'video.edit')).toHaveLength(changes)
  expect(rows.reduce((sum, { views }) => sum + (views?.count ?? 1), 0)).toBe(changes * between)
  expect(rows).toHaveLength(changes * 2)
})

it('exports all matching entries as CSV and as JSON', async () => {
  const ctx = await makeAccount()
  await query(
    'many',
    `INSERT INTO audit_entry (account_id, actor, action, subject) SELECT $1, 'system', 'video.edit', 'vid_' || n FROM generate_series(1, 1201) n`,
    [ctx.accountId],
  )
  await makeKey(ctx)
  const all = JSON.parse(await exported(ctx, 'json')) as ReadEntry[]
  expect(new Set(all.map(({ id }) => id)).size).toBe(1202)
  expect(JSON.parse(await exported(ctx, 'json', { action: 'key.create' }))).toHaveLength(1)
  expect(JSON.parse(await exported(ctx, 'json', { action: 'no.such' }))).toEqual([])
  const lines = (await exported(ctx, 'csv')).split('\r\n')
  expect(lines).toHaveLength(1204)
  expect(lines[0]).toMatch(/^\ufeffid,time,actor,/)
})

it('escapes formulas of spreadsheets in exports', async () => {
  const ctx = await makeAccount()
  const evil = '=HYPERLINK("https://evil.example","x")'
  const videoId = await makeVideo(ctx, { title: evil })
  await write(ctx, { action: 'video.edit', subject: videoId, before: { title: 'a' }, after: { title: evil } })
  const [, line = ''] = (await exported(ctx, 'csv')).split('\r\n')
  expect(line).toContain(`"'=HYPERLINK(`)
  expect(line).not.toMatch(/(^|,)"?[=+@-]/)
})

it('lists and exports nothing of another account', async () => {
  const [mine, theirs] = [await makeAccount(), await makeAccount()]
  const key = await makeKey(theirs, { name: 'Their secret' })
  await write(mine, { action: 'video.edit', subject: key.id })
  const texts = [JSON.stringify(await listAudit(mine, {})), await exported(mine, 'csv'), JSON.stringify(await auditFilterOptions(mine))]
  for (const text of texts) {
    expect(text).not.toContain('Their secret')
    expect(text).not.toContain(theirs.accountId)
  }
})
