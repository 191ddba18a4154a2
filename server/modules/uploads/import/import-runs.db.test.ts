import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { db, query } from '../../../platform/database/database.ts'
import { reseal } from '../../../platform/database/reseal.ts'
import { refusalOf } from '../../../testing/direct-upload.ts'
import { startImports } from '../../../testing/imports.ts'
import { inRanges, whole } from '../../../testing/services/file-server.ts'
import { provide, renew } from '../../../testing/settings.ts'
import { likeVideo } from '../../../testing/tus-client.ts'
import { expireDirectUploads } from '../direct/expire-direct.ts'
import { SEALED_IMPORT_URLS } from './import-rows.ts'
import { runImport } from './import-run.ts'

const MB = 1024 ** 2
const { source, caller, newCaller, create, stateOf, importRow, runToEnd, expectVideo, expectNothingLeft, events } = await startImports()
const forever = new AbortController().signal

describe('an import becomes a video as an upload does', () => {
  it('in ranges, with its fields, its events and its audit entry, which names key, host and path', async () => {
    const file = likeVideo(37 * MB)
    source.serve(inRanges(file))
    const fields = { description: 'At dawn', metadata: { course: '12' }, externalId: 'lesson-42', captions: 'de' }
    const uploadId = await create(fields)
    expect((await runToEnd(uploadId)).runs).toBe(1)
    const videoId = await expectVideo(uploadId, file)
    const end = 16 * MB
    expect(source.asked.map(({ range }) => range)).toEqual([
      `bytes=0-${end - 1}`,
      `bytes=${end}-${2 * end - 1}`,
      `bytes=${2 * end}-${3 * end - 1}`,
    ])
    expect(source.asked.map(({ headers }) => headers['if-range'])).toEqual([undefined, '"one"', '"one"'])
    expect(source.asked[0]).toMatchObject({ path: '/clips/clip.mp4?signature=s3cret', headers: { 'accept-encoding': 'identity' } })
    const video = await db().video.findUniqueOrThrow({ where: { id: videoId }, include: { media: true } })
    expect(video).toMatchObject({
      title: 'clip',
      media: { sourceName: 'clip.mp4' },
      status: 'PENDING',
      description: 'At dawn',
      externalId: 'lesson-42',
      ...{ autoCaptions: true, captionLanguage: 'de' },
    })
    expect(await events('video.created')).toMatchObject([{ videoId, externalId: 'lesson-42' }])
    const [entry] = await db().auditEntry.findMany({ where: { accountId: caller().ctx.accountId, action: 'video.upload' } })
    expect(entry).toMatchObject({ actor: caller().keyId, after: { importedFrom: `${source.url}/clips/clip.mp4` } })
    expect(JSON.stringify(entry?.after)).not.toContain('s3cret')
  })

  it.each([
    ['a name', 'attachment; filename="Über uns.mp4"', 'Über uns.mp4', 'Über uns'],
    [
      'a name in RFC 8187, which comes before the other',
      `attachment; filename="x.mp4"; filename*=UTF-8''%C3%9Cbung%201.mp4`,
      'Übung 1.mp4',
      'Übung 1',
    ],
    ['a path and control characters', 'inline; filename="../../etc/\tpass\\"wd.mp4"', 'pass"wd.mp4', 'pass"wd'],
    ['a name as in emails', 'attachment; filename="=?UTF-8?B?w5xidW4=?= =?utf-8?q?g_1=2Emp4?="', 'Übung 1.mp4', 'Übung 1'],
    ['a name as in emails of another encoding', 'attachment; filename="=?iso-8859-1?Q?=DCbung?=.mp4"', 'Übung.mp4', 'Übung'],
    ['a name as in emails that is not one', 'attachment; filename="=?x-none?Q?a?=.mp4"', '=?x-none?Q?a?=.mp4', '=?x-none?Q?a?='],
    ['dots alone', 'attachment; filename=".."', 'video', 'video'],
    ['no name', 'attachment', 'clip.mp4', 'clip'],
    ['an empty name', 'attachment; filename=""', 'clip.mp4', 'clip'],
    ['what is none', ';;="', 'clip.mp4', 'clip'],
  ])('named after Content-Disposition: %s', async (_what, disposition, sourceName, title) => {
    const file = likeVideo(2 * MB)
    source.serve((_req, res) => {
      // Node refuses a header beyond Latin-1; many servers write UTF-8.
      res.writeHead(200, { 'Content-Disposition': Buffer.from(disposition).toString('latin1') }).end(file)
    })
    const uploadId = await create()
    await runToEnd(uploadId)
    const videoId = await expectVideo(uploadId, file)
    expect(await db().video.findUniqueOrThrow({ where: { id: videoId }, include: { media: true } })).toMatchObject({
      media: { sourceName },
      title,
    })
  })

  it('through a redirect whose target is written in UTF-8', async () => {
    const file = likeVideo(2 * MB)
    source.serve((req, res) => {
      if (req.url?.startsWith('/clips/')) return res.writeHead(302, { Location: Buffer.from('/Übung/ß.mp4?q=é').toString('latin1') }).end()
      return inRanges(file)(req, res, 0)
    })
    const uploadId = await create()
    await runToEnd(uploadId)
    await expectVideo(uploadId, file)
    expect(source.asked.at(-1)?.path).toBe('/%C3%9Cbung/%C3%9F.mp4?q=%C3%A9')
  })

  it('through a redirect whose target is written in Latin-1', async () => {
    const file = likeVideo(2 * MB)
    source.serve((req, res) => {
      if (req.url?.startsWith('/clips/')) return res.writeHead(302, { Location: '/\u00dcbung.mp4' }).end()
      return inRanges(file)(req, res, 0)
    })
    const uploadId = await create()
    await runToEnd(uploadId)
    expect(source.asked.at(-1)?.path).toBe('/%C3%9Cbung.mp4')
  })

  it('from a server without ranges, with a length and without', async () => {
    const file = likeVideo(3 * MB)
    source.serve(whole(file))
    const first = await create()
    await runToEnd(first)
    await expectVideo(first, file)
    await newCaller()
    source.serve((_req, res) => void res.writeHead(200).end(file))
    const second = await create()
    await runToEnd(second)
    await expectVideo(second, file)
  })

  it('from a server that states no size in its ranges', async () => {
    const file = likeVideo(2 * MB)
    source.serve((req, res) => {
      if (req.headers.range === undefined) return whole(file)(req, res, 0)
      res.writeHead(206, { 'Content-Range': `bytes 0-${file.length - 1}/*` }).end(file)
    })
    const uploadId = await create()
    await runToEnd(uploadId)
    await expectVideo(uploadId, file)
  })

  it('through 5 redirects; the target is used for the rest of the run, and the URL again once it is refused', async () => {
    const file = likeVideo(33 * MB)
    source.serve((req, res, nth) => {
      const { pathname } = new URL(req.url ?? '', source.url)
      const hop = Number(pathname.slice(5))
      if (pathname.startsWith('/hop/') && hop < 5) return res.writeHead(302, { Location: `/hop/${hop + 1}` }).end()
      // Signed for one request, as it were.
      if (nth === 7) return res.writeHead(403).end()
      inRanges(file)(req, res, nth)
    })
    const uploadId = await create({ url: `${source.url}/hop/0` })
    await runToEnd(uploadId)
    await expectVideo(uploadId, file)
    expect(source.asked.map(({ path }) => path)).toEqual([
      ...['/hop/0', '/hop/1', '/hop/2', '/hop/3', '/hop/4', '/hop/5'],
      ...['/hop/5', '/hop/0', '/hop/1', '/hop/2', '/hop/3', '/hop/4', '/hop/5', '/hop/5'],
    ])
  })
})

describe('interruptions', () => {
  it('goes on with the bytes it has when a connection is cut', async () => {
    const file = likeVideo(5 * MB)
    source.serve((req, res, nth) => {
      if (nth > 1) return inRanges(file)(req, res, nth)
      res.writeHead(206, { ETag: '"one"', 'Content-Range': `bytes 0-${file.length - 1}/${file.length}`, 'Content-Length': file.length })
      res.write(file.subarray(0, 2 * MB), () => setImmediate(() => res.destroy()))
    })
    const uploadId = await create()
    await runImport(uploadId, forever)
    const { status, bytesReceived } = await stateOf(uploadId)
    expect([status, bytesReceived > 0]).toEqual(['uploading', true])
    await runImport(uploadId, forever)
    await expectVideo(uploadId, file)
    expect(source.asked.at(-1)?.range).toMatch(`bytes=${bytesReceived}-`)
  })

  it('begins again where a server has no ranges', async () => {
    const file = likeVideo(5 * MB)
    source.serve((req, res, nth) => {
      if (nth > 1) return whole(file)(req, res, nth)
      res.writeHead(200, { 'Content-Length': file.length })
      res.write(file.subarray(0, 2 * MB), () => setImmediate(() => res.destroy()))
    })
    const uploadId = await create()
    expect((await runToEnd(uploadId)).runs).toBe(2)
    await expectVideo(uploadId, file)
  })

  it('mixes no bytes of two files, when the second is cut before the place where the first was', async () => {
    const [before, after] = [likeVideo(5 * MB), likeVideo(5 * MB)]
    const cut = (file: Uint8Array, bytes: number, res: ServerResponse, etag: string) => {
      res.writeHead(200, { ETag: etag, 'Content-Length': file.length })
      res.write(file.subarray(0, bytes), () => setImmediate(() => res.destroy()))
    }
    source.serve((req, res, nth) => {
      if (nth === 1) return cut(before, 4 * MB, res, '"one"')
      if (nth === 2) return cut(after, 2 * MB, res, '"two"')
      inRanges(after, '"two"')(req, res, nth)
    })
    const uploadId = await create()
    await runToEnd(uploadId)
    await expectVideo(uploadId, after)
  })

  it.each([
    ['that honours If-Range', inRanges],
    [
      'that ignores If-Range',
      (file: Uint8Array, etag: string) =>
        (req: Parameters<ReturnType<typeof inRanges>>[0], res: Parameters<ReturnType<typeof inRanges>>[1]) => {
          delete req.headers['if-range']
          inRanges(file, etag)(req, res, 0)
        },
    ],
  ])('receives the new file when it changes between ranges, from a server %s', async (_name, serving) => {
    const [before, after] = [likeVideo(20 * MB), likeVideo(21 * MB)]
    source.serve((req, res, nth) => (nth === 1 ? serving(before, '"one"') : serving(after, '"two"'))(req, res, nth))
    const uploadId = await create()
    await runToEnd(uploadId)
    await expectVideo(uploadId, after)
  })

  it('an error of a server, then the file', async () => {
    const file = likeVideo(9_000)
    source.serve((req, res, nth) => (nth <= 3 ? res.writeHead([503, 429, 500][nth - 1] as number).end() : inRanges(file)(req, res, nth)))
    const uploadId = await create()
    expect((await runToEnd(uploadId)).runs).toBe(4)
    await expectVideo(uploadId, file)
  })

  it('enqueues the next run after a delay that doubles', async () => {
    source.serve((_req, res) => res.writeHead(503).end())
    const uploadId = await create()
    for (let run = 0; run < 3; run++) await runImport(uploadId, forever)
    const sql = `SELECT round(extract(epoch FROM start_after - created_on))::int AS after FROM pgboss.job
      WHERE name = 'upload.import' AND data->>'uploadId' = $1 ORDER BY created_on`
    expect(await query('test-delays', sql, [uploadId])).toEqual([0, 5, 10, 20].map((after) => ({ after })))
    await caller().cancel(uploadId)
  })

  it('waits while the account is suspended, without counting the runs', async () => {
    const file = likeVideo(9_000)
    source.serve(inRanges(file))
    const uploadId = await create()
    const suspend = (suspendedAt: Date | null) => db().account.update({ where: { id: caller().ctx.accountId }, data: { suspendedAt } })
    await suspend(new Date())
    await runImport(uploadId, forever)
    await suspend(null)
    expect([source.asked, (await importRow(uploadId))?.attempts]).toEqual([[], 0])
    await runImport(uploadId, forever)
    await expectVideo(uploadId, file)
  })

  it('a second run of the same import takes over, and the first ends without an effect', async () => {
    const file = likeVideo(2 * MB)
    let hold = () => {}
    const reached = new Promise<void>((resolve) => {
      source.serve((req, res, nth) => {
        if (nth > 1) return inRanges(file)(req, res, nth)
        res.writeHead(206, { ETag: '"one"', 'Content-Range': `bytes 0-${file.length - 1}/${file.length}` })
        res.write(file.subarray(0, MB), () => resolve())
        hold = () => void res.end()
      })
    })
    const uploadId = await create()
    const first = runImport(uploadId, forever)
    await reached
    await runImport(uploadId, forever)
    await first
    hold()
    await expectVideo(uploadId, file)
  })

  it('an interrupted run rejects, and keeps what it received', async () => {
    const file = likeVideo(2 * MB)
    const stopping = new AbortController()
    const reached = new Promise<void>((resolve) => {
      source.serve((req, res, nth) => {
        if (nth > 1) return inRanges(file)(req, res, nth)
        res.writeHead(206, { ETag: '"one"', 'Content-Range': `bytes 0-${file.length - 1}/${file.length}` })
        res.write(file.subarray(0, MB), () => resolve())
      })
    })
    const uploadId = await create()
    const run = runImport(uploadId, stopping.signal)
    const rejected = expect(run).rejects.toThrow('The worker is stopping.')
    await reached
    stopping.abort(new Error('The worker is stopping.'))
    await rejected
    expect((await stateOf(uploadId)).failureCode).toBeNull()
    await runImport(uploadId, forever)
    await expectVideo(uploadId, file)
  })
})

it('an import that is not complete when it expires ends so, and its jobs have no effect', async () => {
  source.serve((_req, res) => res.writeHead(503).end())
  const uploadId = await create()
  await runImport(uploadId, forever)
  await db().directUpload.update({ where: { id: uploadId }, data: { expiresAt: new Date(Date.now() - 1_000) } })
  await runImport(uploadId, forever)
  await expireDirectUploads(forever)
  expect(await stateOf(uploadId)).toMatchObject({ status: 'expired', failureCode: 'EXPIRED' })
  await expectNothingLeft(uploadId)
  source.serve(whole(likeVideo(9_000)))
  await runImport(uploadId, forever)
  expect(source.asked).toEqual([])
})

it('the URL of an import can be read after the rotation of the master key', async () => {
  const file = likeVideo(9_000)
  source.serve(inRanges(file))
  const uploadId = await create()
  const before = await importRow(uploadId)
  provide({ MASTER_KEYS: `next:${'k'.repeat(44)}` })
  renew('masterKeys')
  expect((await reseal(SEALED_IMPORT_URLS, forever)).sealed).toBeGreaterThan(0)
  expect((await importRow(uploadId))?.url).not.toEqual(before?.url)
  await runToEnd(uploadId)
  await expectVideo(uploadId, file)
})

describe('cancelling', () => {
  it('before the first run: nothing is requested', async () => {
    source.serve(whole(likeVideo(9_000)))
    const uploadId = await create()
    expect((await caller().cancel(uploadId)).status).toBe(200)
    await runImport(uploadId, forever)
    expect(source.asked).toEqual([])
    expect(await stateOf(uploadId)).toMatchObject({ status: 'failed', failureCode: 'CANCELLED' })
    await expectNothingLeft(uploadId)
  })

  it('in the middle: the request ends, and nothing is left', async () => {
    let closed = () => {}
    const ended = new Promise<void>((resolve) => {
      closed = resolve
    })
    const reached = new Promise<void>((resolve) => {
      source.serve((_req, res) => {
        res.writeHead(200, { 'Content-Length': 9 * MB }).write(likeVideo(MB), () => resolve())
        res.on('close', closed)
      })
    })
    const uploadId = await create()
    const run = runImport(uploadId, forever)
    await reached
    expect((await caller().cancel(uploadId)).status).toBe(200)
    await Promise.all([run, ended])
    expect(await stateOf(uploadId)).toMatchObject({ status: 'failed', failureCode: 'CANCELLED' })
    await expectNothingLeft(uploadId)
    expect(await events('upload.failed')).toMatchObject([{ uploadId, code: 'CANCELLED' }])
  })

  it('409 once it is a video', async () => {
    source.serve(whole(likeVideo(9_000)))
    const uploadId = await create()
    await runToEnd(uploadId)
    expect(refusalOf(await caller().cancel(uploadId))).toEqual([409, 'UPLOAD_CONFLICT'])
  })
})
