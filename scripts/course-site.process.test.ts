import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { User } from '../examples/course-site/lib/db.ts'
import type { AccountCtx } from '../server/context.ts'
import { JOBS } from '../server/jobs.ts'
import { recordProgress } from '../server/modules/delivery/viewers/progress.ts'
import { signatureHeader } from '../server/modules/webhooks/delivery/signature.ts'
import { startQueue, stopQueue } from '../server/platform/job-queue.ts'
import { send } from '../server/testing/client.ts'
import { stopClock } from '../server/testing/clock.ts'
import { testDatabase } from '../server/testing/database.ts'
import { startHttpServer } from '../server/testing/http-server.ts'
import { makeAccount, makeKey, makePlayable } from '../server/testing/make.ts'
import { compileSdk } from './build-sdk.ts'

await testDatabase()
const put = await stopClock(undefined)
const baseUrl = await startHttpServer()
const root = join(import.meta.dirname, '..')
const source = join(root, 'examples/course-site')
const SECRET = 'whsec_of-the-test'
/** The site's lib/reelgate.ts, whose client only the copy has. */
interface Site {
  tokenFor(user: User, videoId: string): Promise<string>
  progressOf(user: User): Promise<Map<string, { watchedSec: number }>>
  eraseViewing(user: User): Promise<string | undefined>
  whoWatched(videoId: string): Promise<{ viewerId: string; watchedSec: number }[]>
}

mkdirSync(join(root, '.cache'), { recursive: true })
/** A copy within the repository, which has the other packages, with the client as npm would install it. */
const folder = mkdtempSync(join(root, '.cache/course-site-'))
afterAll(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
})
let owner: AccountCtx
let db: typeof import('../examples/course-site/lib/db.ts')
let site: Site
let hooks: { POST(request: Request): Promise<Response> }
afterAll(stopQueue)
beforeAll(async () => {
  await startQueue(JOBS)
  for (const part of ['lib', 'app']) cpSync(join(source, part), join(folder, part), { recursive: true })
  const sdk = join(folder, 'node_modules/@reelgate/sdk')
  mkdirSync(sdk, { recursive: true })
  await compileSdk(sdk)
  owner = await makeAccount()
  const { value } = await makeKey(owner, { scopes: ['video:read', 'viewer:read', 'viewer:write'] })
  const settings = { WEBHOOK_SECRET: SECRET, REELGATE_URL: baseUrl, REELGATE_API_KEY: value, COURSE_DB: join(folder, 'course.db') }
  for (const [name, text] of Object.entries({ ...settings, STUDENT_PASSWORD: 'of the student' })) vi.stubEnv(name, text)
  db = await import(join(folder, 'lib/db.ts'))
  site = await import(join(folder, 'lib/reelgate.ts'))
  hooks = await import(join(folder, 'app/api/hooks/route.ts'))
  db.seedUsers()
})

let passed = 0
/** Lets an hour pass. */
const later = () => put(new Date(Date.now() + ++passed * 3_600_000))
const student = () => db.checkPassword('student@example.com', 'of the student') ?? expect.fail('The student cannot sign in.')
async function open(videoId: string) {
  const token = await site.tokenFor(student(), videoId)
  const { status, body } = await send(`${baseUrl}/v1/video/playback/manifest/${token}`)
  const { jti } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  return { status, tokenId: jti as string, ...JSON.parse(body).data }
}

it.each(['20.20.2', '22.12.0'])('the course site says at once that Node %s is too old', (version) => {
  // An import that runs first states another version than that of this Node.
  const first = `data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"${version}"}})`
  const env = {
    PATH: process.env.PATH,
    REELGATE_URL: 'http://127.0.0.1:1',
    REELGATE_API_KEY: 'x',
    npm_config_offline: 'true',
    NODE_ENV: 'production' as const,
  }
  const { status, stderr } = spawnSync(process.execPath, ['--import', first, join(source, 'start.mjs')], { env, encoding: 'utf8' })
  expect([status, stderr]).toEqual([1, expect.stringContaining('requires Node.js 22.13 or newer')])
})

it('a third device of a student plays, the first one stops, and each starts where the student was', async () => {
  const videoId = await makePlayable(owner, { durationSec: 100 })
  const first = await open(videoId)
  await later()
  await recordProgress(first.tokenId, 100, { spans: [[0, 40]], positionSec: 40 })
  // The clock stands, and the order of sessions is that of their times.
  const sessions: Awaited<ReturnType<typeof open>>[] = []
  for (const second of [1, 2, 3]) {
    await put(new Date(Date.now() + passed * 3_600_000 + second * 1_000))
    sessions.push(await open(videoId))
  }
  expect(sessions.map(({ status, resumeAt }) => [status, resumeAt])).toEqual([200, 200, 200].map((status) => [status, 40]))
  const statuses = () => Promise.all(sessions.map(async ({ masterPlaylistUrl }) => (await send(masterPlaylistUrl)).status))
  await expect.poll(statuses).toEqual([401, 200, 200])
})

it('a teacher sees who watched how much, by the names that the site has', async () => {
  const videoId = await makePlayable(owner, { durationSec: 100 })
  const { tokenId } = await open(videoId)
  await later()
  await recordProgress(tokenId, 100, { spans: [[0, 40]], positionSec: 40 })
  const [viewer, ...others] = await site.whoWatched(videoId)
  expect([viewer, others]).toEqual([expect.objectContaining({ watchedSec: 40, durationSec: 100, completedAt: null }), []])
  expect(db.emailOf(viewer?.viewerId ?? '')).toBe('student@example.com')
  expect((await site.progressOf(student())).get(videoId)).toMatchObject({ watchedSec: 40 })
  expect(await site.progressOf({ ...student(), id: 'has watched nothing' })).toEqual(new Map())
})

it('a signed webhook gives a student a certificate, once, and a forged one does not', async () => {
  const { id } = student()
  const tell = async (viewerId: string | null, secret = SECRET) => {
    const data = { viewerId, videoId: 'vid_certified', percent: 90 }
    const body = JSON.stringify({ eventId: 'evt_1', eventType: 'viewing.completed', createdAt: new Date().toISOString(), data })
    const headers = { 'x-service-signature': signatureHeader([secret], Math.floor(Date.now() / 1_000), body) }
    return (await hooks.POST(new Request('http://localhost/api/hooks', { method: 'POST', headers, body }))).status
  }
  expect([await tell(id, 'whsec_wrong'), db.completedBy(id)]).toEqual([400, new Set()])
  expect([await tell(id), await tell(id), await tell(null), await tell('a former student')]).toEqual([204, 204, 204, 204])
  expect(db.completedBy(id)).toEqual(new Set(['vid_certified']))
})

it('a student’s viewing is erased, here and at the service, and the receipt is kept', async () => {
  const videoId = await makePlayable(owner, { durationSec: 100 })
  await open(videoId)
  const user = student()
  db.complete(user.id, videoId)
  db.forgetViewing(user, await site.eraseViewing(user))
  expect(db.completedBy(user.id)).toEqual(new Set())
  const [receipt, ...others] = db.receiptsOf(user).map(({ text }) => JSON.parse(text))
  expect([receipt, others]).toEqual([{ ...receipt, receipt: expect.objectContaining({ kind: 'viewer.erasure' }) }, []])
  const headers = { 'x-service-key': process.env.REELGATE_API_KEY ?? '' }
  expect((await send(`${baseUrl}/v1/viewer/${user.id}`, { headers })).status).toBe(404)
  db.forgetViewing(user, await site.eraseViewing({ ...user, id: 'has watched nothing' }))
  expect(db.receiptsOf(user)).toHaveLength(1)
})
