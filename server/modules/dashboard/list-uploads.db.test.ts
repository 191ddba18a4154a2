import { describe, expect, it } from 'vitest'
import type { AccountCtx } from '../../context.ts'
import { db } from '../../platform/database/database.ts'
import { startImports } from '../../testing/imports.ts'
import { makeKey, makeVideo } from '../../testing/make.ts'
import { whole } from '../../testing/services/file-server.ts'
import { provide } from '../../testing/settings.ts'
import { likeVideo } from '../../testing/tus-client.ts'
import { cancelDirectUpload } from '../uploads/direct/cancel-direct.ts'
import { createDirectUpload } from '../uploads/direct/create-direct.ts'
import { FILE_FAILURES, IMPORT_FAILURES } from '../uploads/failure-schema.ts'
import { runImport } from '../uploads/import/import-run.ts'
import { importVideoInput } from '../uploads/import/import-schema.ts'
import { importAgain, importVideo } from '../uploads/import/import-video.ts'
import { replaceSource } from '../uploads/replace-source.ts'
import { createCollection, deleteCollection } from '../videos/collections/collections.ts'
import { listUploads } from './list-uploads.ts'
import { UPLOAD_GROUPS } from './uploads-schema.ts'

const { source, caller, create, runToEnd, expectVideo, stateOf } = await startImports()
const FILE = likeVideo(50_000)
const owner = () => caller().ctx
const entries = ({ accountId }: AccountCtx, action: string) => db().auditEntry.findMany({ where: { accountId, action } })
const shown = async () => (await listUploads(owner(), {})).uploads
const importUrl = (ctx: AccountCtx, input: Record<string, unknown> = {}) =>
  importVideo(ctx, importVideoInput.parse({ url: `${source.url}/clips/clip.mp4?signature=s3cret`, ...input })).then(({ upload }) => upload)

describe('an import of a member', () => {
  it('becomes a video, whose entry in the audit log names the member', async () => {
    source.serve(whole(FILE))
    const ctx = owner()
    const { uploadId } = await importUrl(ctx, { title: 'Harbour' })
    const { email, userId } = ctx.actor as { email: string; userId: string }
    expect(await shown()).toMatchObject([{ id: uploadId, state: 'waiting', creator: { email }, video: null, canImportAgain: false }])
    await runToEnd(uploadId)
    const videoId = await expectVideo(uploadId, FILE)
    const at = { source: { host: new URL(source.url).host, url: `${source.url}/clips/clip.mp4`, hasQuery: true } }
    expect(await shown()).toMatchObject([{ ...at, state: 'completed', video: { id: videoId, title: 'Harbour' }, bytesTotal: FILE.length }])
    expect(await entries(ctx, 'video.upload')).toMatchObject([{ subject: videoId, actor: userId, actorEmail: email }])
  })

  it('is refused for a URL that the API refuses as well', async () => {
    const refused = (url: string) => importUrl(owner(), { url }).catch(({ code, extras }) => [code, extras.details?.[0].path])
    expect(await refused('http://example.com/clip.mp4')).toEqual(['INVALID_REQUEST', 'url'])
    expect(await refused('https://10.0.0.1/clip.mp4')).toEqual(['INVALID_REQUEST', 'url'])
    expect(await shown()).toEqual([])
  })
})

describe('an import that failed', () => {
  it('is listed with its reason, what to do, and without the query of its URL', async () => {
    source.serve((_req, res) => void res.writeHead(404).end())
    const uploadId = await create()
    await runToEnd(uploadId)
    const list = await shown()
    const failure = { reason: IMPORT_FAILURES.NOT_FOUND, advice: 'Check the URL, then import the file again.' }
    expect(list).toMatchObject([{ state: 'failed', title: 'clip.mp4', failure, canImportAgain: true, creator: { keyId: caller().keyId } }])
    expect(JSON.stringify(list)).not.toContain('s3cret')
  })

  it('starts again with its fields and another URL', async () => {
    source.serve((_req, res) => void res.writeHead(403).end())
    const ctx = owner()
    const { id: collection } = await createCollection(ctx, { name: 'Physics' })
    const fields = { externalId: 'lesson-7', metadata: { course: 'p1' }, targetQuality: '480p', encrypted: false }
    const uploadId = await create({ ...fields, title: 'First', collection })
    await runToEnd(uploadId)
    await deleteCollection(ctx, { collectionId: collection })
    source.serve(whole(FILE))
    const again = await importAgain(ctx, { uploadId, url: `${source.url}/clips/clip.mp4?signature=new`, title: 'Second' })
    await runToEnd(again.uploadId)
    const videoId = await expectVideo(again.uploadId, FILE)
    expect(await db().video.findUniqueOrThrow({ where: { id: videoId } })).toMatchObject({ ...fields, title: 'Second' })
    expect((await shown()).map(({ id, state }) => [id, state])).toEqual([
      [again.uploadId, 'completed'],
      [uploadId, 'failed'],
    ])
  })

  it('starts again only after it ended without a video, and only for imports', async () => {
    const ctx = owner()
    const url = `${source.url}/clips/clip.mp4`
    const again = (uploadId: string) => importAgain(ctx, { uploadId, url }).catch(({ code }) => code)
    expect(await again(await create())).toBe('UPLOAD_CONFLICT')
    const { upload } = await createDirectUpload(ctx, { targetQuality: '1080p', encrypted: true, expiresInSec: 60 })
    await cancelDirectUpload(ctx, upload)
    expect(await again(upload.uploadId)).toBe('UPLOAD_CONFLICT')
    expect(await again('upl_none')).toBe('UPLOAD_NOT_FOUND')
  })

  it('of a source that is replaced, starts again while its video exists', async () => {
    source.serve((_req, res) => void res.writeHead(404).end())
    const ctx = owner()
    const videoId = await makeVideo(ctx)
    const url = `${source.url}/clips/clip.mp4`
    const { upload } = await replaceSource(ctx, { videoId, input: { url, targetQuality: '1080p', expiresInSec: 60 } })
    await runToEnd(upload.uploadId)
    const { uploadId } = await importAgain(ctx, { uploadId: upload.uploadId, url })
    expect(await shown()).toMatchObject([{ id: uploadId, replaces: true, video: { id: videoId } }, { id: upload.uploadId }])
    await db().video.update({ where: { id: videoId }, data: { deletedAt: new Date() } })
    await expect(importAgain(ctx, { uploadId: upload.uploadId, url })).rejects.toMatchObject({ code: 'VIDEO_NOT_FOUND' })
  })
})

it('shows why retrying an import, and when', async () => {
  source.serve((_req, res) => void res.writeHead(502).end())
  const uploadId = await create()
  await runImport(uploadId, new AbortController().signal)
  const [listed] = await shown()
  expect(listed).toMatchObject({ state: 'retrying', failure: null, retry: { reason: IMPORT_FAILURES.SERVER_ERROR, attempts: 1 } })
  expect(listed?.retry?.nextAt?.getTime()).toBeGreaterThan(Date.now() - 60_000)
})

it('cancels an upload, and records who did', async () => {
  const ctx = owner()
  const uploadId = await create({ title: 'Harbour' })
  await cancelDirectUpload(ctx, { uploadId })
  await cancelDirectUpload(ctx, { uploadId })
  expect(await shown()).toMatchObject([{ id: uploadId, state: 'cancelled', failure: { advice: null }, canImportAgain: true }])
  const { userId } = ctx.actor as { userId: string }
  expect(await entries(ctx, 'upload.cancel')).toMatchObject([{ subject: uploadId, actor: userId, before: { title: 'Harbour' } }])
  expect(await stateOf(uploadId)).toMatchObject({ status: 'failed', failureCode: 'CANCELLED' })
})

it('returns each upload once over its pages and groups, newest first', async () => {
  provide({ MAX_UNFINISHED_UPLOADS: '1000', MAX_PENDING_VIDEOS: '1000' })
  const ctx = owner()
  const key = await makeKey(ctx, { name: 'Course site' })
  const ended = {
    accountId: ctx.accountId,
    keyId: key.id,
    fields: { title: 'Old' },
    maxBytes: 9n,
    expiresAt: new Date(),
    videoId: 'vid_none',
  }
  const states = ['completed', 'expired', 'failed'] as const
  await db().directUpload.createMany({
    data: Array.from({ length: 120 }, (_, at) => ({
      ...ended,
      id: `upl_${String(at).padStart(22, '0')}`,
      state: states[at % 3] ?? 'failed',
      endedAt: new Date(),
      // Several share a time: the id decides.
      createdAt: new Date(1_700_000_000_000 + 1_000 * Math.floor(at / 4)),
      ...(at % 3 === 2 && { failureCode: 'NOT_A_VIDEO', failureReason: FILE_FAILURES.NOT_A_VIDEO }),
    })),
  })
  const open = await create()
  const all = async (group?: keyof typeof UPLOAD_GROUPS) => {
    const found: Awaited<ReturnType<typeof listUploads>>['uploads'] = []
    for (let cursor: string | undefined; ; ) {
      const page = await listUploads(ctx, { group, cursor })
      found.push(...page.uploads)
      if (page.nextCursor === null) return found
      cursor = page.nextCursor
    }
  }
  const every = await all()
  expect(new Set(every.map(({ id }) => id)).size).toBe(121)
  expect(every[0]?.id).toBe(open)
  expect(every.map(({ createdAt }) => createdAt.getTime())).toEqual(every.map(({ createdAt }) => createdAt.getTime()).sort((a, b) => b - a))
  expect(every[1]?.creator).toEqual({ keyId: key.id, name: 'Course site' })
  for (const group of Object.keys(UPLOAD_GROUPS) as (keyof typeof UPLOAD_GROUPS)[])
    expect([group, (await all(group)).length]).toEqual([group, group === 'open' ? 1 : 40])
})
