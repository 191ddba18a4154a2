import { globSync } from 'node:fs'
import superjson from 'superjson'
import { beforeAll, expect, it } from 'vitest'
import type { z } from 'zod'
import type { AccountCtx } from '#server/context'
import { isServiceError } from '#server/errors'
import { createShareLink } from '#server/modules/delivery/sharing/links'
import { putCaptions } from '#server/modules/videos/captions/captions'
import { db } from '#server/platform/database/database'
import { newId } from '#server/platform/secrets/crypto'
import { testDatabase } from '#server/testing/database'
import { makeAccount, makeKey, makePlayable, makeViewer } from '#server/testing/make'
import { makeEndedBulk } from '#server/testing/make-bulk'
import { emitMany, makeEndpoint } from '#server/testing/make-endpoint'
import { cookieFor } from '#server/testing/sign-in'
import { makeStaff } from '#server/testing/staff'
import { contextFrom } from '#server/trpc/context'
import { appRouter } from '#server/trpc/root'

await testDatabase()

const BASE = 'http://reelgate.test'
let owner: AccountCtx
let staffCookie: string
let ownerCookie: string
/** A value for each field that an input of some procedure requires. */
let known: Record<string, unknown>

beforeAll(async () => {
  owner = await makeAccount()
  const { accountId } = owner
  const key = await makeKey(owner)
  const pictures = { poster: 'a', posterCandidates: ['a'], storyboard: { everySec: 1, count: 0 } }
  const videoId = await makePlayable(owner, pictures)
  await putCaptions(owner, { videoId, language: 'en', label: '', text: 'WEBVTT\n\n00:01.000 --> 00:02.000\nHello' })
  const stop = await db().keyStop.create({ data: { id: newId('rcp'), accountId, keyId: key.id, kind: 'key.revocation', at: new Date() } })
  const { id: endpointId } = await makeEndpoint(owner, 'https://hooks.example.com/one')
  const [eventId = ''] = await emitMany(owner, 1)
  await createShareLink(owner, { videoId, name: '', expiresInHours: 1, maxViews: null, unfurls: true })
  const call = {
    method: 'GET',
    operation: 'getVideo',
    path: `/v1/video/${videoId}`,
    query: '',
    status: 200,
    durationMs: 1,
    responseHeaders: {},
    checks: ['route', 'key'],
  }
  await db().loggedRequest.create({ data: { ...call, id: 'req_shown', accountId, at: new Date(), keyId: key.id } })
  const staff = await makeAccount()
  await makeStaff(staff)
  staffCookie = await cookieFor(staff)
  ownerCookie = await cookieFor(owner)
  known = {
    ...{ videoId, keyId: key.id, endpointId, eventId, accountId, receiptId: stop.id, requestId: 'req_shown' },
    ...{
      actionId: await makeEndedBulk(owner, { kind: 'delete', videoId }),
      time: 1,
      days: 30,
      month: new Date().toISOString().slice(0, 7),
      text: videoId,
      search: 'Clip',
      language: 'en',
      number: 1,
    },
    ...{ volume: 100, price: '1', dailyQuota: 9, range: '30d', query: 'Clip', token: 'x'.repeat(32), subject: videoId },
    ...{ id: 'student-42', reference: await makeViewer(owner, 'student-42') },
  }
})

const context = async (cookie: string) => ({
  ...(await contextFrom(new Headers({ cookie, origin: BASE, host: 'reelgate.test' }))),
  sameOrigin: true,
})
async function inView(): Promise<void> {
  await appRouter.createCaller(await context(staffCookie)).support.endOwnerView()
  await appRouter
    .createCaller(await context(staffCookie))
    .support.beginOwnerView({ accountId: owner.accountId, reason: 'Cannot see the videos, ticket 7' })
}

interface Procedure {
  _def: { type: 'query' | 'mutation' | 'subscription'; inputs: z.ZodObject[] }
}
const procedures = Object.entries(appRouter._def.procedures as unknown as Record<string, Procedure>)
const reads = procedures.filter(([, { _def }]) => _def.type === 'query')

/** Returns an input of the known values of the fields that a procedure requires. */
function inputOf([path, { _def }]: [string, Procedure]): unknown {
  const input: Record<string, unknown> = {}
  for (const schema of _def.inputs) {
    for (const {
      path: [field],
    } of schema.safeParse({}).error?.issues ?? [])
      input[String(field)] = known[String(field)]
    expect([path, schema.safeParse(input).error?.issues]).toEqual([path, undefined])
  }
  return _def.inputs.length > 0 ? input : undefined
}

/** What opens content, or proves a fact to others: signed addresses, tokens, compact JWS, share links and signatures of webhooks. */
const SIGNED = /\/cdn\/|\/watch\/|pt_[\w-]{20}|eyJ[\w-]+\.[\w-]+\.[\w-]+|"jws"|[?&](?:sig|token|X-Amz-Signature)=|v1=[0-9a-f]{64}|whsec_/

/** Calls a procedure; returns its answer as the browser gets it, or the code of its refusal. */
async function answerTo(cookie: string, procedure: [string, Procedure]): Promise<string> {
  const [path] = procedure
  const [router = '', name = ''] = path.split('.')
  const caller = appRouter.createCaller(await context(cookie)) as unknown as Record<string, Record<string, (input: unknown) => unknown>>
  try {
    return superjson.stringify(await caller[router]?.[name]?.(inputOf(procedure)))
  } catch (error) {
    const { cause } = error as { cause?: unknown }
    if (!isServiceError(cause) || cause.code === 'INTERNAL_ERROR') throw error
    return cause.code
  }
}

async function signedAnswers(cookie: string, asked = reads): Promise<string[]> {
  const signed: string[] = []
  for (const procedure of asked) if (SIGNED.test(await answerTo(cookie, procedure))) signed.push(procedure[0])
  return signed.sort()
}

it('gives the owner signed content in these procedures', async () => {
  const signed = ['receipt.download', 'video.get', 'video.list', 'video.thumbnail', 'viewing.preview']
  expect(await signedAnswers(ownerCookie)).toEqual(signed)
})

it('gives a view as owner none, in any procedure, and refuses nothing else', async () => {
  await inView()
  expect(await signedAnswers(staffCookie)).toEqual([])
  const refused: string[] = []
  for (const procedure of reads) if (/^[A-Z_]+$/.test(await answerTo(staffCookie, procedure))) refused.push(procedure[0])
  const personal = ['user.security', 'user.sessions']
  const people = ['findPerson', 'people', 'person', 'personVideos', 'watchers'].map((name) => `viewing.${name}`)
  expect(refused.filter((path) => !/^(operator|support)\./.test(path)).sort()).toEqual(
    ['receipt.download', ...personal, ...people, 'viewing.preview'].sort(),
  )
})

it('gives support staff none on their own pages, outside a view as well', async () => {
  await appRouter.createCaller(await context(staffCookie)).support.endOwnerView()
  const ofSupport = procedures.filter(
    ([path, { _def }]) => path.startsWith('support.') && (_def.type === 'query' || path === 'support.find'),
  )
  expect(ofSupport.length).toBeGreaterThan(20)
  expect(await signedAnswers(staffCookie, ofSupport)).toEqual([])
})

it('sends a view as owner no signed content in event streams', async () => {
  await inView()
  const streams = procedures.filter(([, { _def }]) => _def.type === 'subscription').map(([path]) => path)
  expect(streams.sort()).toEqual(['traffic.watch', 'video.watch', 'webhook.watch'])
  const changes = async (cookie: string) => {
    const stop = new AbortController()
    const caller = appRouter.createCaller(await context(cookie), { signal: stop.signal })
    const events = (await caller.video.watch())[Symbol.asyncIterator]()
    expect((await events.next()).value).toEqual({ type: 'resync' })
    await db().video.update({ where: { id: String(known.videoId) }, data: { description: cookie.slice(-9) } })
    const { value } = await events.next()
    stop.abort()
    return JSON.stringify(value)
  }
  expect(await changes(ownerCookie)).toMatch(SIGNED)
  const seen = await changes(staffCookie)
  expect(seen).toContain(known.videoId)
  expect(seen).not.toMatch(SIGNED)
})

/** Routes below app/api and app/support that are no file of an account. */
const NO_FILES = ['api/auth/[...nextauth]', 'api/stripe', 'api/trpc/[trpc]']

it('gives a view as owner no file, whatever route makes it', async () => {
  await inView()
  const app = `${import.meta.dirname}/..`
  const routes = globSync('{api,support}/**/route.ts', { cwd: app }).map((file) => file.slice(0, -'/route.ts'.length))
  const files = routes.filter((path) => !NO_FILES.includes(path))
  expect(routes.length - files.length).toBe(NO_FILES.length)
  const statusOf = async (path: string, cookie: string) => {
    const { GET } = await import(`${app}/${path}/route.ts`)
    const request = new Request(`${BASE}/${path}`, { headers: { cookie, origin: BASE, host: 'reelgate.test' } })
    const response: Response = await GET(request, { params: Promise.resolve({ format: 'csv' }) })
    await response.body?.cancel()
    return [path, response.status]
  }
  expect(files.length).toBeGreaterThan(3)
  for (const path of files) {
    expect(await statusOf(path, ownerCookie)).toEqual([path, 200])
    expect(await statusOf(path, staffCookie)).toEqual([path, 403])
  }
})
