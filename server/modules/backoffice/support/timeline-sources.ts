import { ACTIONS, type ActionName, actionDescription } from '../../../audit-actions.ts'
import type { AccountCtx } from '../../../context.ts'
import { query } from '../../../platform/database/database.ts'
import { actorOf, namesOf } from '../../audit/read.ts'
import { creditsText, formatCredits, formatSignedCredits } from '../../billing/price-schema.ts'
import { ENTRY_KINDS, type EntryKind } from '../../billing/state.ts'
import type { TimelineKind } from './state.ts'

/** An event of the timeline. `what` follows the actor's name; without an actor it is a sentence. */
export interface TimelineEvent {
  id: string
  kind: TimelineKind
  at: Date
  actor: string | null
  what: string
  /** The object, with its current name. */
  subject: { id: string; name: string | null } | null
  detail: string | null
}

/** An event with its place in its source, which is in order, newest first. */
export interface Placed extends TimelineEvent {
  place: string
}

/** A table that the timeline reads, by an index and at most `take` rows after a place. */
export interface Source {
  name: string
  /** Form of its places. */
  place: RegExp
  kinds: readonly TimelineKind[]
  read: (ctx: AccountCtx, kinds: readonly TimelineKind[], after: string | undefined, take: number) => Promise<Placed[]>
}

const MEASURES = /^support\.(?:suspend|restore|person\.|takedown|putback)/
const QUOTAS = /^(?:billing\.quota\.|support\.(?:quota|limit)$)/

/** Returns the kind of an action of the audit log. */
export function kindOfAction(action: string): TimelineKind {
  if (MEASURES.test(action)) return 'measures'
  if (QUOTAS.test(action)) return 'quotas'
  const [module = ''] = action.split('.')
  return KIND_OF_MODULE[module] ?? 'account'
}

const KIND_OF_MODULE: Record<string, TimelineKind> = {
  user: 'sign-ins',
  key: 'keys',
  video: 'videos',
  collection: 'videos',
  playback: 'videos',
  webhook: 'webhooks',
  billing: 'billing',
  support: 'support',
}

/** Actions that the ledger has as well, with the amount. */
const IN_LEDGER: readonly ActionName[] = [
  'billing.credit',
  'billing.correct',
  'billing.top_up',
  'billing.refund',
  'billing.refund_failed',
  'billing.dispute',
  'billing.dispute_won',
]
const AUDITED = (Object.keys(ACTIONS) as ActionName[]).filter((action) => !IN_LEDGER.includes(action))

type Row = Record<string, unknown>
interface AuditRow extends Row {
  id: string
  at: Date
  actor: string
  actorEmail: string | null
  action: string
  subject: string
  after: Row | null
}

const AUDIT_COLUMNS = `id::text, created_at AS at, actor, actor_email AS "actorEmail", action, subject, after`
const AUDIT = `
  SELECT ${AUDIT_COLUMNS} FROM audit_entry a WHERE a.account_id = $1 AND ($2::bigint IS NULL OR a.id < $2) AND a.action <> ALL ($3)
  ORDER BY a.id DESC LIMIT $4`
/** Reads each action by its own index range, so that other actions cost nothing. */
const AUDIT_OF_ACTIONS = `
  SELECT e.* FROM unnest($3::text[]) AS wanted (action) CROSS JOIN LATERAL (
    SELECT ${AUDIT_COLUMNS} FROM audit_entry a WHERE a.account_id = $1 AND a.action = wanted.action AND ($2::bigint IS NULL OR a.id < $2)
    ORDER BY a.id DESC LIMIT $4) e
  ORDER BY e.id::bigint DESC LIMIT $4`

async function readAudit(ctx: AccountCtx, kinds: readonly TimelineKind[], after: string | undefined, take: number): Promise<Placed[]> {
  const rows = kinds.length
    ? await query<AuditRow>('timeline-actions', AUDIT_OF_ACTIONS, [
        ...[ctx.accountId, after ?? null, AUDITED.filter((action) => kinds.includes(kindOfAction(action))), take],
      ])
    : await query<AuditRow>('timeline-audit', AUDIT, [ctx.accountId, after ?? null, IN_LEDGER, take])
  const names = await namesOf(
    ctx,
    rows.flatMap(({ actor, subject }) => [actor, subject]),
  )
  return rows.map((row) => {
    const { id, at, action, subject, after } = row
    const named = names.get(subject) ?? after?.email ?? after?.title
    const shown =
      subject === ctx.accountId || subject === row.actor ? null : { id: subject, name: typeof named === 'string' ? named : null }
    const detail = [after?.reason, after?.page].find((value) => typeof value === 'string') as string | undefined
    return {
      ...{ place: id, id: `audit:${id}`, kind: kindOfAction(action), at, actor: actorOf(row, names).name },
      ...{ what: actionDescription(action), subject: shown, detail: detail ?? null },
    }
  })
}

/** A place of a table that is ordered by a time and an id: milliseconds are exact, as columns are `timestamptz(3)`. */
const timeAndId = (at: Date, id: string) => `${at.toISOString()} ${id}`
const splitPlace = (place: string | undefined): [string | null, string | null] => {
  const [at = null, id = null] = place?.split(' ') ?? []
  return [at, id]
}
const TIME_AND_ID = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z [\w-]{1,64}$/
const NUMBER = /^\d{1,18}$/

const SESSIONS = `
  SELECT s.id, s.created_at AS at, u.email, s.method, s.address FROM membership m JOIN app_user u ON u.id = m.user_id
  CROSS JOIN LATERAL (
    SELECT id, created_at, method, address FROM user_session WHERE user_id = m.user_id AND NOT mfa_pending
      AND ($2::timestamptz IS NULL OR (created_at, id) < ($2, $3)) ORDER BY created_at DESC, id DESC LIMIT $4) s
  WHERE m.account_id = $1 ORDER BY s.created_at DESC, s.id DESC LIMIT $4`

async function readSessions({ accountId }: AccountCtx, _: unknown, after: string | undefined, take: number): Promise<Placed[]> {
  const rows = await query<{ id: string; at: Date; email: string; method: string; address: string } & Row>('timeline-sessions', SESSIONS, [
    ...[accountId, ...splitPlace(after), take],
  ])
  return rows.map(({ id, at, email, method, address }) => ({
    // The id of a session is not shown: its place in the order is enough.
    ...{ place: timeAndId(at, id), id: `session:${at.getTime()}:${email}`, kind: 'sign-ins', at, actor: email, what: 'signed in' },
    ...{ subject: null, detail: `${method}, ${address}` },
  }))
}

const LEDGER = `
  SELECT seq, kind, CASE credit WHEN 'wallet' THEN amount ELSE -amount END::text AS amount, balance_after::text AS balance, at, reason FROM ledger_entry
  WHERE account_id = $1 AND kind <> 'usage' AND ($2::int IS NULL OR seq < $2) ORDER BY seq DESC LIMIT $3`

async function readLedger({ accountId }: AccountCtx, _: unknown, after: string | undefined, take: number): Promise<Placed[]> {
  const rows = await query<{ seq: number; kind: string; amount: string; balance: string; at: Date; reason: string | null } & Row>(
    'timeline-ledger',
    LEDGER,
    [accountId, after === undefined ? null : Number(after), take],
  )
  return rows.map(({ seq, kind, amount, balance, at, reason }) => {
    const before = formatCredits(creditsText(BigInt(balance) - BigInt(amount)))
    const balances = `Balance: ${before} → ${formatCredits(creditsText(BigInt(balance)))}`
    return {
      ...{ place: String(seq), id: `ledger:${seq}`, kind: 'billing', at, actor: null },
      what: `${ENTRY_KINDS[kind as EntryKind]?.title ?? kind}: ${formatSignedCredits(creditsText(BigInt(amount)))} credits`,
      ...{ subject: null, detail: reason === null ? balances : `${balances}\n${reason}` },
    }
  })
}

const OUTCOMES = `
  SELECT e.seq::text, e.type, e.created_at AS at, e.payload::jsonb -> 'data' ->> 'videoId' AS video, v.title,
    e.payload::jsonb -> 'data' ->> 'reason' AS reason
  FROM webhook_event e LEFT JOIN video v ON v.account_id = $1 AND v.id = e.payload::jsonb -> 'data' ->> 'videoId'
  WHERE e.account_id = $1 AND e.type IN ('video.processing.completed', 'video.processing.failed') AND NOT e.sample
    AND ($2::bigint IS NULL OR e.seq < $2) ORDER BY e.seq DESC LIMIT $3`

async function readOutcomes({ accountId }: AccountCtx, _: unknown, after: string | undefined, take: number): Promise<Placed[]> {
  const rows = await query<
    { seq: string; type: string; at: Date; video: string | null; title: string | null; reason: string | null } & Row
  >('timeline-outcomes', OUTCOMES, [accountId, after ?? null, take])
  return rows.map(({ seq, type, at, video, title, reason }) => ({
    ...{ place: seq, id: `event:${seq}`, kind: 'videos', at, actor: null },
    what: type === 'video.processing.failed' ? 'Transcoding failed' : 'Transcoding completed',
    ...{ subject: video === null ? null : { id: video, name: title }, detail: reason },
  }))
}

const DEAD_LETTERS = `
  SELECT d.id::text, d.changed_at AS at, d.endpoint_id AS endpoint, w.url, d.failure_reason AS reason
  FROM webhook_delivery d JOIN webhook_endpoint w ON w.id = d.endpoint_id
  WHERE d.account_id = $1 AND d.failure_reason IS NOT NULL
    AND ($2::timestamptz IS NULL OR (d.changed_at, d.id) < ($2, $3::bigint)) ORDER BY d.changed_at DESC, d.id DESC LIMIT $4`

async function readDeadLetters({ accountId }: AccountCtx, _: unknown, after: string | undefined, take: number): Promise<Placed[]> {
  const rows = await query<{ id: string; at: Date; endpoint: string; url: string; reason: string } & Row>('timeline-dead', DEAD_LETTERS, [
    ...[accountId, ...splitPlace(after), take],
  ])
  return rows.map(({ id, at, endpoint, url, reason }) => ({
    ...{ place: timeAndId(at, id), id: `delivery:${id}`, kind: 'webhooks', at, actor: null, what: 'Webhook delivery failed' },
    ...{ subject: { id: endpoint, name: new URL(url).host }, detail: reason },
  }))
}

const NOTES = `
  SELECT id, created_at AS at, author_email AS email, body FROM account_note
  WHERE account_id = $1 AND ($2::timestamptz IS NULL OR (created_at, id) < ($2, $3)) ORDER BY created_at DESC, id DESC LIMIT $4`

async function readNotes({ accountId }: AccountCtx, _: unknown, after: string | undefined, take: number): Promise<Placed[]> {
  const rows = await query<{ id: string; at: Date; email: string; body: string } & Row>('timeline-notes', NOTES, [
    ...[accountId, ...splitPlace(after), take],
  ])
  return rows.map(({ id, at, email, body }) => ({
    ...{ place: timeAndId(at, id), id: `note:${id}`, kind: 'notes', at, actor: email, what: 'wrote a note', subject: null, detail: body },
  }))
}

/** Everything that the timeline merges. */
export const SOURCES: readonly Source[] = [
  {
    name: 'audit',
    place: NUMBER,
    kinds: ['sign-ins', 'account', 'keys', 'videos', 'webhooks', 'billing', 'quotas', 'measures', 'support'],
    read: readAudit,
  },
  { name: 'sessions', place: TIME_AND_ID, kinds: ['sign-ins'], read: readSessions },
  { name: 'ledger', place: NUMBER, kinds: ['billing'], read: readLedger },
  { name: 'outcomes', place: NUMBER, kinds: ['videos'], read: readOutcomes },
  { name: 'dead letters', place: TIME_AND_ID, kinds: ['webhooks'], read: readDeadLetters },
  { name: 'notes', place: TIME_AND_ID, kinds: ['notes'], read: readNotes },
]
