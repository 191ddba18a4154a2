import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { JOBS } from '../server/jobs.ts'
import { indexCaptions } from '../server/modules/videos/captions/index-captions.ts'
import { startQueue, stopQueue } from '../server/platform/job-queue.ts'
import { testDatabase } from '../server/testing/database.ts'
import { startHttpServer } from '../server/testing/http-server.ts'
import { wholeAccount } from '../server/testing/whole-account.ts'
import { mutatingProxy, type ProxiedResponse } from './conformance/proxy.ts'
import { runConformance } from './conformance/run.mjs'

const { dataDir } = await testDatabase()
const baseUrl = await startHttpServer()

const inputs = {
  key: '',
  bareKey: '',
  testKey: '',
  billingKey: '',
  writeKey: '',
  viewerKey: '',
  video: '',
  foreignVideo: '',
  skip: ['docs'],
}
/** Does what a worker of the deployment would. */
const working = new AbortController()
async function work(): Promise<void> {
  while (!working.signal.aborted) {
    await indexCaptions()
    await setTimeout(100)
  }
}
let worked: Promise<void>
beforeAll(async () => {
  await startQueue(JOBS)
  Object.assign(inputs, await wholeAccount())
  worked = work()
})

afterAll(async () => {
  working.abort()
  await worked
  await stopQueue()
})

it('a deployment conforms in every check, and the command reports it and writes its report', async () => {
  const report = join(dataDir, 'report.json')
  const flags = {
    '--base-url': baseUrl,
    '--key': inputs.key,
    '--key-without-scope': inputs.bareKey,
    '--billing-key': inputs.billingKey,
    '--test-key': inputs.testKey,
    '--video': inputs.video,
    '--foreign-video': inputs.foreignVideo,
    '--write-key': inputs.writeKey,
    '--viewer-key': inputs.viewerKey,
    '--with': 'writes',
    '--skip': 'docs',
    '--report': report,
  }
  const { code, output } = await command(Object.entries(flags).flat())
  expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('conforms to v1') })
  const { conforms, checks, summary } = JSON.parse(readFileSync(report, 'utf8'))
  expect(conforms).toBe(true)
  expect(summary).toMatchObject({ drifted: 0, skipped: 1, passed: checks.length - 1 })
  expect(summary.passed).toBeGreaterThan(45)
  expect(checks.filter(({ outcome }: { outcome: string }) => outcome === 'skipped').map(({ id }: { id: string }) => id)).toEqual([
    'docs.errors',
  ])
})

it('reports what a deployment lacks, and does not pass skipped checks', async () => {
  expect((await command(['--base-url', baseUrl])).code).toBe(2)
  expect((await command(['--base-url', 'http://127.0.0.1:1', '--key', inputs.key])).code).toBe(2)
  const strict = ['--base-url', baseUrl, '--key', inputs.key, '--only', 'fixtures', '--strict']
  expect(await command(strict)).toMatchObject({ code: 1, output: expect.stringContaining('--test-key') })
})

const json = (passing: ProxiedResponse, change: (body: Body) => void): void => {
  const body = JSON.parse(passing.body || 'null')
  if (body) change(body)
  passing.body = body ? JSON.stringify(body) : ''
}

/** A deployment with one fault, and the checks that must detect it (and no others have to). */
const MUTANTS: Record<string, { seenBy: string; mutate: (passing: ProxiedResponse) => void }> = {
  'the balance is a number': {
    seenBy: 'billing.balance',
    mutate: (one) => one.path.endsWith('/balance') && json(one, (body) => Object.assign(body.data ?? {}, { balance: 1 })),
  },
  'the totals are not the sums of the days': {
    seenBy: 'billing.usage',
    mutate: (one) =>
      one.path.includes('/usage') && json(one, ({ data }) => data && Object.assign(data.totals, { requests: data.totals.requests + 1 })),
  },
  'a video has a field more': {
    seenBy: 'get.same-as-list',
    mutate: (one) =>
      one.path.startsWith('/v1/video/vid_') && json(one, ({ data }) => data?.status && Object.assign(data, { url: 'https://x' })),
  },
  'a video lacks completedAt': {
    seenBy: 'list.all',
    mutate: (one) => json(one, ({ data }) => Array.isArray(data) && delete data[0]?.completedAt),
  },
  'the list is oldest first': { seenBy: 'list.all', mutate: (one) => json(one, ({ data }) => Array.isArray(data) && data.reverse()) },
  'a page has no pagination': { seenBy: 'list.pages', mutate: (one) => json(one, (body) => delete body.pagination) },
  'errors lack docUrl': { seenBy: 'key.required', mutate: (one) => json(one, ({ error }) => delete error?.docUrl) },
  'an unknown key is a 403': {
    seenBy: 'key.invalid',
    mutate: (one) => one.body.includes('INVALID_API_KEY') && Object.assign(one, { status: 403 }),
  },
  'a foreign video is distinguished': {
    seenBy: 'get.not-found',
    mutate: (one) =>
      one.path.includes(inputs.foreignVideo) &&
      json(one, ({ error }) => error && Object.assign(error, { message: 'This video belongs to another account.' })),
  },
  'there is no Allow on a 405': { seenBy: 'surface.methods', mutate: (one) => one.status === 405 && delete one.headers.allow },
  'an unknown address is an HTML page': {
    seenBy: 'surface.not-found',
    mutate: (one) => one.body.includes('"NOT_FOUND"') && Object.assign(one, { body: '<html>', headers: { 'content-type': 'text/html' } }),
  },
  'the list is open to browsers': {
    seenBy: 'surface.closed-to-browsers',
    mutate: (one) => one.path === '/v1/video' && Object.assign(one.headers, { 'access-control-allow-origin': '*' }),
  },
  'the manifest is closed to browsers': {
    seenBy: 'manifest.result',
    mutate: (one) => one.path.includes('/manifest/') && delete one.headers['access-control-allow-origin'],
  },
  '304 is never said': { seenBy: 'get.etag', mutate: (one) => one.status === 304 && Object.assign(one, { status: 200 }) },
  'HEAD forgets the length': {
    seenBy: 'list.head',
    mutate: (one) => one.method === 'HEAD' && Object.assign(one.headers, { 'content-length': '0' }),
  },
  'the counter does not move': {
    seenBy: 'token.counters',
    mutate: (one) => 'x-ratelimit-remaining' in one.headers && Object.assign(one.headers, { 'x-ratelimit-remaining': '900' }),
  },
  'the day ends an hour late': {
    seenBy: 'token.counters',
    mutate: ({ headers }) =>
      'x-ratelimit-reset' in headers &&
      Object.assign(headers, { 'x-ratelimit-reset': String(Number(headers['x-ratelimit-reset']) + 3600) }),
  },
  'a 404 has no counters': {
    seenBy: 'token.refusals-are-free',
    mutate: ({ status, headers }) => status === 404 && delete headers['x-ratelimit-limit'],
  },
  'a token says it lasts an hour': {
    seenBy: 'token.result',
    mutate: (one) => one.path.endsWith('playback-token') && json(one, ({ data }) => data && Object.assign(data, { expiresIn: 3600 })),
  },
  'a token may be stored': {
    seenBy: 'token.result',
    mutate: (one) => one.path.endsWith('playback-token') && Object.assign(one.headers, { 'cache-control': 'public, max-age=60' }),
  },
  'a forged token is let through': {
    seenBy: 'manifest.forgeries',
    mutate: (one) => one.body.includes('PLAYBACK_TOKEN_INVALID') && Object.assign(one, { status: 200, body: '{"success":true,"data":{}}' }),
  },
  '429 has no Retry-After': { seenBy: 'fixtures.tokens', mutate: ({ status, headers }) => status === 429 && delete headers['retry-after'] },
  'fixtures are not there': {
    seenBy: 'fixtures.reads',
    mutate: (one) =>
      one.path === '/v1/video/vid_test_failed' && json(one, ({ data }) => data && Object.assign(data, { status: 'COMPLETED' })),
  },
  'a policy accepts unknown fields': {
    seenBy: 'policy.invalid',
    mutate: (one) => one.path.endsWith('playback-token') && one.status === 400 && Object.assign(one, { status: 200 }),
  },
  'a refusal does not say what its policy excludes': {
    seenBy: 'policy.refusals',
    mutate: (one) => one.status === 403 && json(one, ({ error }) => delete error?.details?.reason),
  },
  'an ended session still counts': {
    seenBy: 'viewer.sessions',
    mutate: (one) => one.path.endsWith('/end') && json(one, ({ data }) => data && Object.assign(data, { ended: 0 })),
  },
  'a viewer can be read without the scope': {
    seenBy: 'viewer.scope',
    mutate: (one) => one.path.startsWith('/v1/viewer') && one.status === 403 && Object.assign(one, { status: 404 }),
  },
  'a repeated upload is another one': {
    seenBy: 'writes.upload',
    mutate: (one) =>
      one.path === '/v1/upload' &&
      json(one, ({ data }) => data?.uploadId && Object.assign(data, { uploadId: `${data.uploadId}${Math.floor(Math.random() * 1e6)}` })),
  },
  'a cancelled upload stays in the list': {
    seenBy: 'writes.upload',
    mutate: (one) => one.path.startsWith('/v1/upload?') && json(one, (body) => Object.assign(body, { data: [] })),
  },
  'a cancelled upload is open': {
    seenBy: 'writes.upload',
    mutate: (one) => one.method === 'DELETE' && json(one, ({ data }) => data?.uploadId && Object.assign(data, { status: 'waiting' })),
  },
  'an invalid upload is accepted': {
    seenBy: 'writes.upload-input',
    mutate: (one) => one.status === 400 && one.path === '/v1/upload' && Object.assign(one, { status: 201 }),
  },
  'an upload does not name its video': {
    seenBy: 'writes.transfer',
    mutate: (one) => one.path.startsWith('/v1/upload/') && json(one, ({ data }) => data && Object.assign(data, { videoId: null })),
  },
  'If-Match is ignored': {
    seenBy: 'writes.edit',
    mutate: (one) => one.status === 412 && Object.assign(one, { status: 200 }),
  },
  'an edited video has a field more': {
    seenBy: 'writes.edit',
    mutate: (one) => one.method === 'PATCH' && json(one, ({ data }) => data && Object.assign(data, { metadata: {} })),
  },
  'filters list every video': {
    seenBy: 'writes.find',
    mutate: (one) => one.path.includes('?metadata') && json(one, ({ data }) => Array.isArray(data) && data.push({ id: 'vid_other' })),
  },
  'a collection keeps a removed video': {
    seenBy: 'writes.collections',
    mutate: (one) => one.path.includes('?collection=') && json(one, ({ data }) => data?.length === 0 && data.push({ id: 'vid_other' })),
  },
  'captions that are none are accepted': {
    seenBy: 'writes.captions',
    mutate: (one) => one.path.includes('/captions/') && one.status === 400 && Object.assign(one, { status: 200 }),
  },
  'a transcript loses its cues': {
    seenBy: 'writes.transcript',
    mutate: (one) => one.path.endsWith('/transcript') && json(one, ({ data }) => data && Object.assign(data, { cues: [] })),
  },
  'a search for a spoken word does not say where': {
    seenBy: 'writes.transcript',
    mutate: (one) =>
      one.path.includes('?transcript=') && json(one, ({ data }) => data?.[0] && Object.assign(data[0], { spoken: undefined })),
  },
  'a refusal of captions from speech gives no reason': {
    seenBy: 'writes.generate',
    mutate: (one) => one.path.endsWith('/generate') && json(one, ({ error }) => error?.details?.reason && delete error.details),
  },
  'the URL of a picture opens nothing': {
    seenBy: 'writes.pictures',
    mutate: (one) =>
      one.path.includes('/pictures') && json(one, ({ data }) => data?.poster && Object.assign(data, { poster: `${data.poster}x` })),
  },
  'a deleted video is still there': {
    seenBy: 'writes.delete',
    mutate: (one) => one.method === 'GET' && one.status === 404 && Object.assign(one, { status: 200 }),
  },
  'downloads are refused in other words': {
    seenBy: 'writes.download',
    mutate: (one) => one.path.endsWith('/download') && json(one, ({ error }) => error && Object.assign(error, { code: 'FORBIDDEN' })),
  },
  'a key of one scope may delete': {
    seenBy: 'writes.scope',
    mutate: (one) => one.method === 'DELETE' && one.status === 403 && Object.assign(one, { status: 200 }),
  },
  'request ids repeat': {
    seenBy: 'run.request-ids',
    mutate: ({ headers }) => Object.assign(headers, { 'x-request-id': 'req_always_the_same' }),
  },
  'the description forgets a status': {
    seenBy: 'run.described',
    mutate: (one) =>
      one.path.endsWith('openapi.json') && json(one, ({ paths }) => delete paths?.['/v1/video/{videoId}'].get.responses['404']),
  },
}

describe('a deployment that drifts is detected', () => {
  it.each(Object.entries(MUTANTS))('%s', async (_name, { seenBy, mutate }) => {
    const proxy = await mutatingProxy(baseUrl, mutate)
    // The last two judge the whole run, and therefore need one.
    const only = seenBy.startsWith('run.') ? undefined : seenBy
    const { conforms, checks } = await runConformance({ ...inputs, baseUrl: proxy.url, skip: ['docs', 'delivery'], with: ['writes'], only })
    proxy.close()
    expect(conforms).toBe(false)
    expect(checks.find(({ id }: { id: string }) => id === seenBy)).toMatchObject({ outcome: 'drifted' })
  })
})

function command(args: string[]): Promise<{ code: number; output: string }> {
  const script = join(import.meta.dirname, 'conformance.mjs')
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...args], (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), output: stdout + stderr }),
    )
  })
}

// biome-ignore lint/suspicious/noExplicitAny: bodies that a mutation changes at any path
type Body = any
