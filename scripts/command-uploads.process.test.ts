import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { JOBS } from '../server/jobs.ts'
import { db } from '../server/platform/database/database.ts'
import { startQueue, stopQueue } from '../server/platform/job-queue.ts'
import { storage } from '../server/platform/storage/storage.ts'
import { testDatabase } from '../server/testing/database.ts'
import { uploadCaller } from '../server/testing/direct-upload.ts'
import { startHttpServer } from '../server/testing/http-server.ts'
import { inRanges, startFileServer } from '../server/testing/services/file-server.ts'
import { startWorkerProcess } from '../server/testing/services/worker-process.ts'
import { provide } from '../server/testing/settings.ts'
import { likeVideo, sha256 } from '../server/testing/tus-client.ts'
import { compileSdk } from './build-sdk.ts'

await testDatabase()
const baseUrl = await startHttpServer()
const folder = mkdtempSync(join(tmpdir(), 'reelgate-command-'))
afterAll(() => rmSync(folder, { recursive: true }))

beforeAll(async () => {
  await compileSdk(join(folder, 'sdk'))
  // The library for S3 is the user's; here it is this project's.
  symlinkSync(join(import.meta.dirname, '../node_modules'), join(folder, 'node_modules'))
})

/** Runs the command in a folder; returns its exit code and its output, line by line. */
function run(cwd: string, args: string[], env: Record<string, string>): Promise<{ code: number | null; lines: string[] }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(folder, 'sdk/bin/reelgate.mjs'), ...args], { cwd, env: { ...process.env, ...env } })
    let text = ''
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part: string) => (text += part))
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, lines: text.trim().split('\n').sort() }))
  })
}

function newFolder(name: string): string {
  mkdirSync(join(folder, name))
  return join(folder, name)
}

async function serving(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

it('upload sends files at once, lists what failed with its reason, and does only what is left when it runs again', async () => {
  const { key, ctx } = await uploadCaller(baseUrl)
  const env = { REELGATE_URL: baseUrl, REELGATE_API_KEY: key }
  const cwd = newFolder('upload')
  for (const name of ['one.mkv', 'two.mkv', 'three.mkv']) writeFileSync(join(cwd, name), likeVideo(100_000))
  writeFileSync(join(cwd, 'notes.txt'), 'These are notes and no video.')
  const files = ['one.mkv', 'notes.txt', 'two.mkv', 'none.mkv', 'three.mkv', 'one.mkv']
  const first = await run(cwd, ['upload', ...files, '--parallel', '2', '--quality', '480p'], env)
  expect(first).toEqual({
    code: 1,
    lines: [
      '3 done, 2 failed, 0 done before. Run the command again to repeat the failed ones.',
      expect.stringMatching(/^done {4}one\.mkv {2}vid_/),
      expect.stringMatching(/^done {4}three\.mkv {2}vid_/),
      expect.stringMatching(/^done {4}two\.mkv {2}vid_/),
      'failed  none.mkv  There is no file at this path.',
      expect.stringMatching(/^failed {2}notes\.txt {2}[A-Z_]+: /),
    ],
  })
  const videos = await db().video.findMany({ where: { accountId: ctx.accountId }, select: { title: true, targetQuality: true } })
  expect(videos.map(({ title }) => title).sort()).toEqual(['one', 'three', 'two'])
  expect(new Set(videos.map(({ targetQuality }) => targetQuality)).size).toBe(1)
  writeFileSync(join(cwd, 'none.mkv'), likeVideo(100_000))
  const again = await run(cwd, ['upload', 'one.mkv', 'two.mkv', 'none.mkv'], env)
  expect(again).toEqual({ code: 0, lines: ['1 done, 0 failed, 2 done before.', expect.stringMatching(/^done {4}none\.mkv/)] })
  expect(await db().video.count({ where: { accountId: ctx.accountId } })).toBe(4)
})

it('upload goes on with the upload that an ended run began', async () => {
  const { key, create, get } = await uploadCaller(baseUrl)
  const cwd = newFolder('resumed')
  const path = join(cwd, 'long.mkv')
  const bytes = likeVideo(300_000)
  writeFileSync(path, bytes)
  // The first run shows under which key the file is recorded. The second finds a record of an upload that has not received its bytes.
  const env = { REELGATE_URL: baseUrl, REELGATE_API_KEY: key }
  await run(cwd, ['upload', 'long.mkv', '--state', 'probe.json'], env)
  const state = JSON.parse(readFileSync(join(cwd, 'probe.json'), 'utf8')) as Record<string, Record<string, unknown>>
  const [item = ''] = Object.keys(state[baseUrl] ?? {})
  const begun = await create({ title: 'Begun before' })
  writeFileSync(join(cwd, 'state.json'), JSON.stringify({ [baseUrl]: { [item]: begun } }))
  expect(await run(cwd, ['upload', 'long.mkv', '--state', 'state.json'], env)).toMatchObject({ code: 0 })
  expect(await get(begun.uploadId)).toMatchObject({ status: 'completed', bytesReceived: bytes.length })
})

it('uploads lists the open uploads, and cancel ends them', async () => {
  const { key, create } = await uploadCaller(baseUrl)
  const env = { REELGATE_URL: baseUrl, REELGATE_API_KEY: key }
  const [one, other] = [await create({ title: 'Lesson 1', externalId: 'lesson-1' }), await create()]
  const { code, lines } = await run(folder, ['uploads'], env)
  const rest = (id: string) => lines.find((line) => line.startsWith(id))?.replace(/^upl_\w+ {2}2\S+Z {2}/, '')
  expect([code, lines.length, rest(one.uploadId), rest(other.uploadId)]).toEqual([0, 2, 'waiting  Lesson 1  lesson-1', 'waiting'])
  expect(await run(folder, ['cancel', one.uploadId, other.uploadId], env)).toEqual({
    code: 0,
    lines: [one, other].map(({ uploadId }) => `cancelled  ${uploadId}`).sort(),
  })
  expect(await run(folder, ['uploads'], env)).toEqual({ code: 0, lines: ['No upload is waiting or uploading.'] })
  expect((await run(folder, ['uploads', '--status', 'failed'], env)).lines).toHaveLength(2)
  expect(await run(folder, ['uploads', '--status', 'open'], env)).toEqual({
    code: 1,
    lines: [
      expect.stringMatching(/^INVALID_REQUEST: The request is invalid\. status: Use waiting, .*, separated by commas\. \(req_[\w-]+\)$/),
    ],
  })
  writeFileSync(join(folder, 'empty.csv'), 'url\n')
  expect(await run(folder, ['import', '--from', 'empty.csv'], env)).toEqual({
    code: 1,
    lines: ['Nothing to import at empty.csv.'],
  })
  expect(await run(folder, ['cancel', 'upl_x'], env)).toMatchObject({ code: 1, lines: [expect.stringContaining('UPLOAD_NOT_FOUND')] })
})

/** A service that imports as the API describes: 202 with an id, then states. A URL with `broken` fails while `isBroken`. */
async function importing() {
  const imports = new Map<string, { url: string; polls: number }>()
  const bodies: Record<string, string>[] = []
  const mode = { isBroken: true }
  const retry = {
    failureCode: 'SERVER_ERROR',
    failureReason: 'The server responded with an error.',
    failedAt: '2026-11-21T09:00:20.000Z',
    attempts: 3,
    maxAttempts: 8,
    nextAttemptAt: '2026-11-21T09:00:40.000Z',
  }
  const url = await serving(async (req, res) => {
    const reply = (status: number, body: unknown) => res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
    if (req.method === 'POST') {
      const parts: Buffer[] = []
      for await (const part of req) parts.push(part as Buffer)
      const body = JSON.parse(String(Buffer.concat(parts))) as Record<string, string>
      bodies.push(body)
      const uploadId = `upl_${bodies.length}`
      imports.set(uploadId, { url: body.url as string, polls: 0 })
      return void reply(202, { success: true, data: { uploadId, status: 'waiting' } })
    }
    const uploadId = req.url?.split('/').at(-1) ?? ''
    const one = imports.get(uploadId)
    if (!one) return void reply(404, { success: false, error: { code: 'UPLOAD_NOT_FOUND', message: 'No upload.', status: 404 } })
    const broken = one.url.includes('broken') && mode.isBroken
    const status = broken ? 'failed' : one.polls++ < (one.url.includes('busy') ? 2 : 1) ? 'uploading' : 'completed'
    const isRetried = status === 'uploading' && one.url.includes('busy')
    const end = broken ? { failureCode: 'NOT_A_VIDEO', failureReason: 'This file is not a video.' } : {}
    reply(200, {
      success: true,
      data: {
        uploadId,
        status,
        bytesReceived: 1,
        videoId: status === 'completed' ? `vid_${uploadId}` : null,
        ...end,
        ...(isRetried && { retry }),
      },
    })
  })
  return { env: { REELGATE_URL: url, REELGATE_API_KEY: 'ak_test_1' }, bodies, mode }
}

it('import reads a CSV file, waits for each video, and repeats only what failed', async () => {
  const { env, bodies, mode } = await importing()
  const cwd = newFolder('import')
  const csv =
    'url,title,externalId\nhttps://a.example/1.mp4,"One, ""first""",l-1\nhttps://a.example/broken.mp4,Two,l-2\nnot a url,Three,l-3\n'
  writeFileSync(join(cwd, 'urls.csv'), csv)
  const first = await run(cwd, ['import', '--from', 'urls.csv'], env)
  expect(first).toEqual({
    code: 1,
    lines: [
      '1 done, 2 failed, 0 done before. Run the command again to repeat the failed ones.',
      'done    One, "first"  vid_upl_1',
      'failed  Three  This is not a URL.',
      'failed  Two  NOT_A_VIDEO: This file is not a video.',
    ],
  })
  expect(bodies).toEqual([
    { url: 'https://a.example/1.mp4', title: 'One, "first"', externalId: 'l-1' },
    { url: 'https://a.example/broken.mp4', title: 'Two', externalId: 'l-2' },
  ])
  mode.isBroken = false
  const again = await run(cwd, ['import', '--from', 'urls.csv'], env)
  expect(again.lines).toContain('1 done, 1 failed, 1 done before. Run the command again to repeat the failed ones.')
  expect(bodies.map(({ externalId }) => externalId)).toEqual(['l-1', 'l-2', 'l-2'])
  writeFileSync(join(cwd, 'wrong.csv'), 'url,colour\nhttps://a.example/1.mp4,red\n')
  expect(await run(cwd, ['import', '--from', 'wrong.csv'], env)).toEqual({ code: 1, lines: [expect.stringContaining('Not: colour')] })
})

const URLS = [1, 2, 3].map((at) => `https://a.example/${at}.mp4`)
const HEAD = 'url,title,externalId\n'
const utf16 = (text: string, bigEndian = false) => {
  const bytes = Buffer.from(`\uFEFF${text}`, 'utf16le')
  return bigEndian ? bytes.swap16() : bytes
}

it.each<[string, string | Buffer, string]>([
  ['a quotation mark that is not closed', `${HEAD}${URLS[0]},"One,l-1\n${URLS[1]},Two,l-2\n`, 'line 2: a quoted value starts here'],
  [
    'rows between two stray quotation marks',
    `${HEAD}${URLS[0]},"One,l-1\n${URLS[1]},Two,l-2\n${URLS[2]},Three",l-3\n`,
    'line 2: the title contains a line break',
  ],
  [
    'rows in a description',
    `url,description\n${URLS[0]},"One\n${URLS[1]},Two\n${URLS[2]},Three"\n`,
    'line 2: the description contains lines that look like rows',
  ],
  ['a quotation mark within a value', `${HEAD}${URLS[0]},One,l-1\n${URLS[1]},A 5" disk,l-2\n`, 'line 3: a value contains a quotation mark'],
  ['text behind a closing quotation mark', `${HEAD}${URLS[0]},"One"x,l-1\n`, 'line 2: a value continues after'],
  ['too few values', `${HEAD}\n${URLS[0]},One,l-1\n\n${URLS[1]},Two\n`, 'line 5: 2 values for 3 columns'],
  ['too many values', `${URLS[0]},One\n`, 'line 1: more values than the one column'],
  ['an external ID twice', `${HEAD}${URLS[0]},One,l-1\n${URLS[1]},Two,l-1\n`, 'line 3: the externalId l-1 is already on line 2.'],
  ['an external ID twice, in two Unicode forms', `${HEAD}${URLS[0]},One,caf\u00e9\n${URLS[1]},Two,cafe\u0301\n`, 'line 3: the externalId'],
  ['a URL twice', `${URLS[0]}?sig=1\n${URLS[1]}\n${URLS[0]}?sig=1\n`, `line 3: the url ${URLS[0]} is already on line 1.`],
  ['a column twice', `url,title,title\n${URLS[0]},One,Two\n`, 'Not: title.'],
  ['Windows-1252', Buffer.from(`${HEAD}${URLS[0]},One,l-1\n${URLS[1]},\xdcbung,l-2\n`, 'latin1'), 'line 3 is not UTF-8 text'],
  ['UTF-16 without a byte order mark', Buffer.from(`${HEAD}${URLS[0]},One,l-1\n`, 'utf16le'), 'line 1 is not UTF-8 text'],
])('import refuses %s before it imports anything', async (name, csv, problem) => {
  const { env, bodies } = await importing()
  const cwd = newFolder(`refused ${name}`)
  writeFileSync(join(cwd, 'urls.csv'), csv)
  const refused = await run(cwd, ['import', '--from', 'urls.csv'], env)
  expect(refused).toEqual({ code: 1, lines: [expect.stringContaining(`urls.csv: `)] })
  expect(refused.lines[0]).toContain(problem)
  expect(bodies).toEqual([])
})

const ROWS = `url,title,description\r\n${URLS[0]},"Übung, 1","One\r\nline, and another"\r\n\r\n${URLS[1]},привет,\r\n`

it.each<[string, string | Buffer]>([
  ['UTF-8', ROWS],
  ['UTF-8 with a byte order mark', `\uFEFF${ROWS}`],
  ['UTF-16, little-endian', utf16(ROWS)],
  ['UTF-16, big-endian', utf16(ROWS, true)],
  ['semicolons', ROWS.replace('url,title,description', 'url;title;description').replace(/,"/g, ';"').replace(',привет,', ';привет;')],
  ['tabs', ROWS.replace('url,title,description', 'url\ttitle\tdescription').replace(/,"/g, '\t"').replace(',привет,', '\tпривет\t')],
  ['two kinds of line ends', ROWS.replace('description\r\n', 'description\n')],
])('import reads CSV in %s', async (name, csv) => {
  const { env, bodies } = await importing()
  const cwd = newFolder(`read ${name}`)
  writeFileSync(join(cwd, 'urls.csv'), csv)
  expect((await run(cwd, ['import', '--from', 'urls.csv'], env)).code).toBe(0)
  expect(bodies.sort((a, b) => String(a.url).localeCompare(String(b.url)))).toEqual([
    { url: URLS[0], title: 'Übung, 1', description: 'One\r\nline, and another' },
    { url: URLS[1], title: 'привет' },
  ])
})

it('import prints once why an attempt failed, and when the next one begins', async () => {
  const { env } = await importing()
  const cwd = newFolder('retried')
  writeFileSync(join(cwd, 'urls.csv'), 'url,title\nhttps://a.example/busy.mp4,One\n')
  expect(await run(cwd, ['import', '--from', 'urls.csv'], env)).toEqual({
    code: 0,
    lines: [
      '1 done, 0 failed, 0 done before.',
      'done    One  vid_upl_1',
      'waits   One  SERVER_ERROR: The server responded with an error. Attempt 3 of 8; the next one begins at 2026-11-21T09:00:40.000Z.',
    ],
  })
})

it('import lists a bucket page by page and signs the URL of each object', async () => {
  const { env, bodies } = await importing()
  const page = (keys: string[], token = '') =>
    `<ListBucketResult><IsTruncated>${token !== ''}</IsTruncated>${token && `<NextContinuationToken>${token}</NextContinuationToken>`}${keys
      .map((key) => `<Contents><Key>${key}</Key><Size>${key.endsWith('/') ? 0 : 5}</Size></Contents>`)
      .join('')}</ListBucketResult>`
  const bucket = await serving((req, res) => {
    const { pathname, searchParams } = new URL(req.url ?? '', 'http://x')
    expect([pathname, searchParams.get('prefix')]).toEqual(['/recordings/', 'course/'])
    const body = searchParams.has('continuation-token') ? page(['course/two.mp4']) : page(['course/', 'course/one.mp4'], 'next')
    res.writeHead(200, { 'Content-Type': 'application/xml' }).end(body)
  })
  const keys = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret', AWS_REGION: 'eu-central-1', AWS_ENDPOINT_URL_S3: bucket }
  const done = await run(newFolder('bucket'), ['import', '--from', 's3://recordings/course/'], { ...env, ...keys })
  expect(done).toMatchObject({ code: 0, lines: expect.arrayContaining(['2 done, 0 failed, 0 done before.']) })
  expect(bodies.map(({ title }) => title).sort()).toEqual(['one', 'two'])
  for (const { url } of bodies) expect(url).toMatch(/^http:.+\/recordings\/course\/(one|two)\.mp4\?.*X-Amz-Signature=/)
})

it('import moves the files of a web server and of a bucket into the service', async () => {
  const settings = { IMPORT_ALLOWED_HOSTS: '127.0.0.1', STORAGE_RESERVE_BYTES: '0' }
  provide(settings)
  await startQueue(JOBS)
  const worker = await startWorkerProcess('worker', settings)
  const caller = await uploadCaller(baseUrl)
  const files = new Map([1, 2, 3].map((number) => [`lesson-${number}.mp4`, likeVideo(number * 1024 ** 2)]))
  const source = await startFileServer()
  source.serve((req, res, nth) => {
    const { pathname } = new URL(req.url ?? '', 'http://x')
    const file = files.get(pathname.split('/').at(-1) ?? '')
    if (file) return inRanges(file)(req, res, nth)
    if (!pathname.endsWith('/')) return res.writeHead(404).end()
    const keys = [...files.keys()].map((key) => `<Contents><Key>course/${key}</Key><Size>1</Size></Contents>`)
    res.writeHead(200, { 'Content-Type': 'application/xml' }).end(`<ListBucketResult>${keys.join('')}</ListBucketResult>`)
  })
  const cwd = newFolder('real')
  writeFileSync(join(cwd, 'urls.csv'), `url,title,externalId\n${source.url}/lesson-1.mp4,One,l-1\n${source.url}/gone.mp4,Two,l-2\n`)
  const env = { REELGATE_URL: baseUrl, REELGATE_API_KEY: caller.key }
  const listed = await run(cwd, ['import', '--from', 'urls.csv'], env)
  expect([listed.code, listed.lines.filter((line) => line.startsWith('failed'))]).toEqual([
    1,
    [expect.stringMatching(/^failed {2}Two {2}\w*NOT_FOUND\w*: /)],
  ])
  const keys = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret', AWS_REGION: 'eu-central-1', AWS_ENDPOINT_URL_S3: source.url }
  const bucket = await run(newFolder('real-bucket'), ['import', '--from', 's3://recordings/course/'], { ...env, ...keys })
  expect(bucket).toMatchObject({ code: 0, lines: expect.arrayContaining(['3 done, 0 failed, 0 done before.']) })
  const videos = await db().video.findMany({
    where: { accountId: caller.ctx.accountId },
    orderBy: { createdAt: 'asc' },
    include: { media: true },
  })
  expect(videos.map(({ title, externalId }) => [title, externalId]).sort()).toEqual([
    ['One', 'l-1'],
    ['lesson-1', null],
    ['lesson-2', null],
    ['lesson-3', null],
  ])
  const sums = await Promise.all(videos.map(async ({ media }) => sha256(storage().read(media?.sourceKey ?? ''))))
  const expected = await Promise.all(['lesson-1.mp4', ...files.keys()].map((name) => sha256([files.get(name) as Buffer])))
  expect(sums.sort()).toEqual(expected.sort())
  await worker.kill()
  await stopQueue()
})
