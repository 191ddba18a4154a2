import { fetchRequestHandler } from '@trpc/server/adapters/fetch'
import { expect, it } from 'vitest'
import type { AccountCtx } from '../context.ts'
import { services } from '../platform/container.ts'
import { pool } from '../platform/database/database.ts'
import { asCaller } from '../platform/turns/caller.ts'
import { BODIES, CHANGES } from '../platform/turns/request-turns.ts'
import { testDatabase } from '../testing/database.ts'
import { logLines } from '../testing/logs.ts'
import { makeAccount, makeVideo } from '../testing/make.ts'
import { appRouter } from './root.ts'

await testDatabase()

const contextOf = (session: AccountCtx) => ({ visitor: { address: '192.0.2.1' }, requestId: 'req_test', session, sameOrigin: true })
const callAs = (session: AccountCtx, signal?: AbortSignal) => appRouter.createCaller(contextOf(session), { signal })

const as = <Result>({ accountId, actor }: AccountCtx, work: () => Promise<Result>) =>
  asCaller({ accountId, member: actor.kind === 'user' ? actor.userId : '' }, work)

it('changes of one thing wait for each other without a connection, and those beyond the queue are refused', async () => {
  const owner = await makeAccount()
  const videoId = await makeVideo(owner, { title: 'Clip', description: null })
  const blocker = await pool().connect()
  await blocker.query('BEGIN')
  await blocker.query('SELECT 1 FROM video WHERE id = $1 FOR UPDATE', [videoId])
  const edit = (title: string) =>
    as(owner, () => callAs(owner).video.edit({ videoId, title, description: null, expected: { title: 'Clip', description: null } }))
  const asked = Array.from({ length: CHANGES.queue + 2 }, (_, at) => edit(`title ${at}`).catch(({ code }: { code: string }) => code))
  expect(await asked.at(-1)).toBe('TOO_MANY_REQUESTS')
  // One waits for the row; the connections of its account's share are free for the account's other requests.
  await expect.poll(() => services().connectionTurns.load(owner.accountId)).toEqual({ running: 1, waiting: 0 })
  await blocker.query('ROLLBACK')
  blocker.release()
  expect(await asked[0]).not.toBe('TOO_MANY_REQUESTS')
  await Promise.all(asked)
})

it('a change whose caller leaves gives up its place', async () => {
  const owner = await makeAccount()
  const videoId = await makeVideo(owner, { title: 'Clip', description: null })
  const group = `${owner.accountId} ${videoId}`
  const turn = await services().changeTurns.take([group, ''])
  const lines = logLines()
  const page = new AbortController()
  const values = { title: 'New', description: null }
  const asked = as(owner, () => callAs(owner, page.signal).video.edit({ videoId, ...values, expected: values }))
  const refused = expect(asked).rejects.toMatchObject({ cause: { code: 'REQUEST_TIMEOUT' } })
  await expect.poll(() => services().changeTurns.load(group)).toEqual({ running: 1, waiting: 1 })
  page.abort()
  await refused
  expect(services().changeTurns.load(group)).toEqual({ running: 1, waiting: 0 })
  expect(lines).toEqual([])
  turn.end()
})

it('a file is not read before it has its place', async () => {
  const owner = await makeAccount()
  const { bodyTurns } = services()
  const held = await Promise.all(Array.from({ length: BODIES.share }, () => bodyTurns.take([owner.accountId, ''])))
  const parts = ['{"json":{}}']
  const body = new ReadableStream(
    {
      pull(controller) {
        const part = parts.shift()
        if (part === undefined) controller.close()
        else controller.enqueue(Buffer.from(part))
      },
    },
    { highWaterMark: 0 },
  )
  const asked = { method: 'POST', headers: { 'content-type': 'application/json' }, body, duplex: 'half' } as const
  const req = new Request('http://localhost/api/trpc/video.putCaptions', asked)
  const handling = { endpoint: '/api/trpc', req, router: appRouter, createContext: () => contextOf(owner) }
  const answered = as(owner, () => fetchRequestHandler(handling))
  await expect.poll(() => bodyTurns.load(owner.accountId).waiting).toBe(1)
  expect(parts).toHaveLength(1)
  for (const turn of held) turn.end()
  expect((await answered).status).toBe(400)
  expect(parts).toEqual([])
})
