import { rm, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { JOBS } from '../../../server/jobs.ts'
import { beginUpload } from '../../../server/modules/uploads/begin.ts'
import { uploadFolder } from '../../../server/modules/uploads/resumable/folder.ts'
import { sweepUploads } from '../../../server/modules/uploads/resumable/sweep.ts'
import { db, query } from '../../../server/platform/database/database.ts'
import { startQueue, stopQueue } from '../../../server/platform/job-queue.ts'
import { testDatabase } from '../../../server/testing/database.ts'
import { startHttpServer } from '../../../server/testing/http-server.ts'
import { makeAccount } from '../../../server/testing/make.ts'
import { provide } from '../../../server/testing/settings.ts'
import { cookieFor } from '../../../server/testing/sign-in.ts'

await testDatabase()
provide({ MAX_UNFINISHED_UPLOADS: '3' })
let baseUrl: string
let cookie: string

beforeAll(async () => {
  baseUrl = await startHttpServer()
  await startQueue(JOBS)
})
afterAll(stopQueue)
beforeEach(async () => {
  cookie = await cookieFor(await makeAccount())
})

const SIZE = 2_000
const tus = (method: string, path: string, headers: Record<string, string> = {}, body?: BodyInit) =>
  fetch(new URL(path, baseUrl), { method, headers: { 'Tus-Resumable': '1.0.0', Cookie: cookie, ...headers }, body })
const create = (title = 'Clip') =>
  tus('POST', '/api/upload', { 'Upload-Length': String(SIZE), 'Upload-Metadata': `title ${Buffer.from(title).toString('base64')}` })
const send = (path: string, body: Buffer) =>
  tus('PATCH', path, { 'Upload-Offset': '0', 'Content-Type': 'application/offset+octet-stream' }, new Uint8Array(body))
/** Starts uploads until one is refused; returns their addresses. */
async function fill(): Promise<string[]> {
  const begun = await Promise.all(Array.from({ length: 12 }, () => create()))
  expect(begun.map(({ status }) => status).sort()).toEqual([...Array(3).fill(201), ...Array(9).fill(429)])
  return begun.flatMap((response) => (response.status === 201 ? [response.headers.get('location') ?? ''] : []))
}
const idOf = (location: string) => location.split('/').at(-1) ?? ''

it('starts as many as an account may have, however many are requested at once; refuses the others with the reason', async () => {
  await fill()
  const refused = await create()
  expect(refused.status).toBe(429)
  expect(await refused.text()).toBe(
    'This account has reached its limit of 3 unfinished uploads. Finish or cancel one of them. We remove uploads without progress after 24 hours.',
  )
})

it('counts another account separately', async () => {
  await fill()
  const other = await makeAccount()
  expect(await beginUpload(other, { id: 'other', metadata: { title: 'Clip' }, size: SIZE })).toMatchObject({ accountId: other.accountId })
})

it('does not count a refused upload', async () => {
  for (let round = 0; round < 4; round++) expect((await create(' ')).status).toBe(400)
  await fill()
})

it.each<[string, (location: string) => Promise<unknown>]>([
  ['cancelled', (location) => tus('DELETE', location)],
  // A Matroska header; the transcoder refuses the rest.
  ['finished', (location) => send(location, Buffer.concat([Buffer.from('1a45dfa3', 'hex'), Buffer.alloc(SIZE - 4)]))],
  ['found to be no video', (location) => send(location, Buffer.alloc(SIZE, 'x'))],
  [
    'idle for a day',
    async (location) => {
      const longAgo = new Date(Date.now() - 25 * 3_600_000)
      for (const name of [idOf(location), `${idOf(location)}.json`]) await utimes(join(uploadFolder(), name), longAgo, longAgo)
      await sweepUploads(new AbortController().signal)
    },
  ],
  [
    'without its file',
    async (location) => {
      await rm(join(uploadFolder(), idOf(location)))
      await query('test-long-ago', `UPDATE upload SET started_at = started_at - interval '2 hours' WHERE id = $1`, [idOf(location)])
      await sweepUploads(new AbortController().signal)
    },
  ],
  [
    'in a folder that has been unused for a week',
    async (location) => {
      await query('test-elsewhere', `UPDATE upload SET folder = 'fld_other', started_at = started_at - interval '8 days' WHERE id = $1`, [
        idOf(location),
      ])
      await sweepUploads(new AbortController().signal)
    },
  ],
])('frees a place for one that is %s', async (_how, end) => {
  const [first = '', second = ''] = await fill()
  await end(first)
  expect(await db().upload.count({ where: { id: { in: [idOf(first), idOf(second)] } } })).toBe(1)
  expect([(await create()).status, (await create()).status]).toEqual([201, 429])
})

it('counts an upload whose bytes are in the folder of another machine', async () => {
  const [first = ''] = await fill()
  await rm(join(uploadFolder(), idOf(first)))
  await query('test-other-folder', `UPDATE upload SET folder = 'fld_other', started_at = started_at - interval '2 hours' WHERE id = $1`, [
    idOf(first),
  ])
  await sweepUploads(new AbortController().signal)
  expect((await create()).status).toBe(429)
})
