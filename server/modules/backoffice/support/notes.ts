import { changedMeanwhile, ServiceError } from '../../../errors.ts'
import { decodeCursor, encodeCursor, pageOf } from '../../../platform/database/cursor.ts'
import { db, query, type Tx } from '../../../platform/database/database.ts'
import { newId } from '../../../platform/secrets/crypto.ts'
import { utcTime } from '../../../platform/text/schema.ts'
import { recordOperator } from '../../audit/operator-log.ts'
import { openAccount } from './open-account.ts'
import { requireAccount } from './require-account.ts'
import type { AddNoteInput, EditNoteInput, NotesInput } from './schema.ts'
import type { StaffCtx } from './staff.ts'

/** A note of support staff on an account. `body` is plain text. */
export interface Note {
  id: string
  body: string
  authorEmail: string
  createdAt: Date
  editedAt: Date | null
  /** Whether the caller wrote it, and so may edit and delete it. */
  isOwn: boolean
}

const PAGE = 50

const NOTES = `
  SELECT id, body, author_email AS "authorEmail", created_at AS "createdAt", edited_at AS "editedAt", author_id = $2 AS "isOwn",
    to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS') AS place
  FROM account_note
  WHERE account_id = $1 AND ($3::text IS NULL OR (created_at, id) < ($3::timestamp AT TIME ZONE 'UTC', $4))
  ORDER BY created_at DESC, id DESC LIMIT ${PAGE + 1}`

/** Returns a page of the notes on an account, newest first. Errors: NOT_FOUND, INVALID_REQUEST. */
export async function listNotes(staff: StaffCtx, { accountId, cursor }: NotesInput): Promise<{ notes: Note[]; nextCursor: string | null }> {
  const ctx = await openAccount(staff, { accountId, page: 'overview' })
  const after = cursor === undefined ? undefined : decodeCursor(cursor, /^[\d.:T-]{23}$/, /^nte_\w{1,60}$/)
  if (cursor !== undefined && utcTime(`${after?.[0]}Z`) !== `${after?.[0]}Z`) throw new ServiceError('INVALID_REQUEST')
  const values = [ctx.accountId, staff.staff.userId, after?.[0] ?? null, after?.[1] ?? null]
  const rows = await query<Note & { place: string; [column: string]: unknown }>('account-notes', NOTES, values)
  const { rows: shown, nextCursor } = pageOf(rows, PAGE, ({ place, id }) => encodeCursor([place, id]))
  return { notes: shown.map(({ place: _, ...note }) => note as Note), nextCursor }
}

/** Adds a note to an account. The installation's log has its id without its text. Errors: NOT_FOUND, FORBIDDEN for one's own account. */
export async function addNote(staff: StaffCtx, { accountId, body }: AddNoteInput): Promise<{ noteId: string }> {
  const id = newId('nte')
  const { userId, email } = staff.staff
  await db().$transaction(async (tx) => {
    await requireAccount(staff, accountId, tx)
    await tx.accountNote.create({ data: { id, accountId, authorId: userId, authorEmail: email, body } })
    await audit(tx, staff, 'note.add', id, accountId)
  })
  return { noteId: id }
}

/**
 * Changes the text of the caller's own note. Errors: NOT_FOUND; FORBIDDEN for a note of another author; CONFLICT when it
 * changed after it was shown.
 */
export async function editNote(staff: StaffCtx, { accountId, noteId, body, expected }: EditNoteInput): Promise<void> {
  await db().$transaction(async (tx) => {
    const note = await lockOwn(tx, staff, accountId, noteId)
    if (note.body === body) return
    if (note.body !== expected) throw changedMeanwhile({ body: note.body })
    await tx.$executeRaw`UPDATE account_note SET body = ${body}, edited_at = service_now() WHERE id = ${noteId}`
    await audit(tx, staff, 'note.edit', noteId, accountId)
  })
}

/** Deletes the caller's own note. Errors: NOT_FOUND; FORBIDDEN for a note of another author. */
export async function removeNote(staff: StaffCtx, { accountId, noteId }: { accountId: string; noteId: string }): Promise<void> {
  await db().$transaction(async (tx) => {
    await lockOwn(tx, staff, accountId, noteId)
    await tx.accountNote.delete({ where: { id: noteId } })
    await audit(tx, staff, 'note.remove', noteId, accountId)
  })
}

async function lockOwn(tx: Tx, staff: StaffCtx, accountId: string, noteId: string): Promise<{ body: string }> {
  await requireAccount(staff, accountId, tx)
  const [note] = await tx.$queryRaw<{ body: string; author: string }[]>`
    SELECT body, author_id AS author FROM account_note WHERE id = ${noteId} AND account_id = ${accountId} FOR UPDATE`
  if (!note) throw new ServiceError('NOT_FOUND', { message: 'This note no longer exists.' })
  if (note.author !== staff.staff.userId) throw new ServiceError('FORBIDDEN', { message: 'Only the author of a note can change it.' })
  return note
}

/** Records no text: the account can be deleted, the log cannot. */
const audit = (tx: Tx, { staff }: StaffCtx, action: 'note.add' | 'note.edit' | 'note.remove', noteId: string, accountId: string) =>
  recordOperator(tx, { name: `support:${staff.userId}`, email: staff.email }, { action, subject: noteId, after: { accountId } })
