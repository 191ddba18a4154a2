import { beforeAll, expect, it } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { db } from '../../../platform/database/database.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount } from '../../../testing/make.ts'
import { makeStaff } from '../../../testing/staff.ts'
import { addNote, editNote, listNotes, removeNote } from './notes.ts'
import { requireStaff, type StaffCtx } from './staff.ts'

await testDatabase()

let owner: AccountCtx
let accountId: string
let author: StaffCtx
let colleague: StaffCtx

const newStaff = async () => {
  const member = await makeAccount()
  await makeStaff(member)
  return requireStaff(member, 'req_test')
}
beforeAll(async () => {
  owner = await makeAccount()
  accountId = owner.accountId
  author = await newStaff()
  colleague = await newStaff()
})

it('is written by staff, changed by its author alone, and recorded without its text where members cannot read it', async () => {
  const { noteId } = await addNote(author, { accountId, body: 'Called <script>' })
  const edit = { accountId, noteId, body: 'Called twice', expected: 'Called <script>' }
  await expect(editNote(colleague, edit)).rejects.toMatchObject({ code: 'FORBIDDEN' })
  await expect(removeNote(colleague, { accountId, noteId })).rejects.toMatchObject({ code: 'FORBIDDEN' })
  await editNote(author, edit)
  await expect(editNote(author, { ...edit, body: 'Called once' })).rejects.toMatchObject({ code: 'CONFLICT' })
  const body = { id: noteId, body: 'Called twice', authorEmail: author.staff.email, editedAt: expect.any(Date) }
  expect((await listNotes(author, { accountId })).notes).toMatchObject([{ ...body, isOwn: true }])
  expect((await listNotes(colleague, { accountId })).notes).toMatchObject([{ ...body, isOwn: false }])
  await expect(removeNote(author, { accountId: (await makeAccount()).accountId, noteId })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await removeNote(author, { accountId, noteId })
  await expect(removeNote(author, { accountId, noteId })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  const entries = await db().auditEntry.findMany({ where: { subject: noteId }, orderBy: { id: 'asc' } })
  expect(entries).toMatchObject(
    ['note.add', 'note.edit', 'note.remove'].map((action) => ({
      ...{ action, actor: `support:${author.staff.userId}`, actorEmail: author.staff.email, after: { accountId } },
    })),
  )
  expect(JSON.stringify(entries.map(({ after, before }) => [after, before]))).not.toContain('Called')
  const trail = await db().auditEntry.findMany({ where: { accountId } })
  expect(JSON.stringify(trail, (_, value) => (typeof value === 'bigint' ? '' : value))).not.toMatch(/note|Called/)
  await expect(db().auditEntry.deleteMany({ where: { subject: noteId } })).rejects.toThrow('append-only')
})

it('lists in pages, the newest first', async () => {
  for (let number = 1; number <= 51; number++) await addNote(author, { accountId, body: `Note ${number}` })
  const first = await listNotes(author, { accountId })
  expect([first.notes.length, first.notes[0]?.body]).toEqual([50, 'Note 51'])
  const last = await listNotes(author, { accountId, cursor: first.nextCursor ?? '' })
  expect([last.notes.map(({ body }) => body), last.nextCursor]).toEqual([['Note 1'], null])
  await expect(listNotes(author, { accountId, cursor: 'x' })).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
})
