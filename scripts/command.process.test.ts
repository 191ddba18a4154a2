import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import Stripe from 'stripe'
import { afterAll, expect, test } from 'vitest'
import { JOBS } from '../server/jobs.ts'
import { db } from '../server/platform/database/database.ts'
import { startQueue, stopQueue } from '../server/platform/job-queue.ts'
import { testDatabase } from '../server/testing/database.ts'
import { startHttpServer } from '../server/testing/http-server.ts'
import { makeAccount, makeKey, makePlayable } from '../server/testing/make.ts'
import { emitMany } from '../server/testing/make-endpoint.ts'
import { startReceiver } from '../server/testing/services/receiver.ts'

await testDatabase()
const baseUrl = await startHttpServer()
const root = join(import.meta.dirname, '..')
const file = join(root, 'sdk/bin/reelgate.mjs')
const running: ChildProcess[] = []
afterAll(() => {
  for (const child of running) child.kill('SIGKILL')
})

const environment = (apiKey?: string) => ({ ...process.env, REELGATE_URL: baseUrl, ...(apiKey ? { REELGATE_API_KEY: apiKey } : {}) })

/** Starts the command; `said()` returns its output so far. */
function start(args: string[], apiKey?: string) {
  const child = spawn(process.execPath, [file, ...args], { env: environment(apiKey), stdio: ['ignore', 'pipe', 'pipe'] })
  running.push(child)
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part: string) => (text += part))
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  return { child, said: () => text, ended }
}

async function run(args: string[], apiKey?: string) {
  const { said, ended } = start(args, apiKey)
  return { code: await ended, said: said() }
}

test('listen forwards events, signed with the secret it prints; trigger creates a sample', async () => {
  const receiver = await startReceiver()
  const ctx = await makeAccount()
  const { value } = await makeKey(ctx, { scopes: ['webhook:read'] })
  const listening = start(['listen', '--forward-to', receiver.url], value)
  await expect.poll(listening.said).toMatch(/whsec_\w+/)
  const [secret = ''] = /whsec_\w+/.exec(listening.said()) ?? []
  // The same in another session, with another key of the account, and another one for another account.
  const other = await makeKey(ctx, { scopes: ['webhook:read'] })
  const second = start(['listen', '--forward-to', receiver.url, '--events', 'wallet.refilled'], other.value)
  await expect.poll(second.said).toContain(secret)
  second.child.kill('SIGINT')
  await second.ended
  const stranger = await makeKey(await makeAccount(), { scopes: ['webhook:read'] })
  const third = start(['listen', '--forward-to', receiver.url], stranger.value)
  await expect.poll(third.said).toMatch(/whsec_\w{32}/)
  expect(third.said()).not.toContain(secret)
  third.child.kill('SIGINT')
  await third.ended

  const fired = await run(['trigger', 'video.processing.failed'], value)
  expect(fired.code).toBe(0)
  const sample = JSON.parse(fired.said) as { eventId: string; eventType: string }
  expect(sample.eventType).toBe('video.processing.failed')
  const [real = ''] = await emitMany(ctx, 1)
  await expect.poll(() => receiver.log.map(({ eventId }) => eventId)).toEqual([sample.eventId, real])
  for (const { body, headers } of receiver.log) Stripe.webhooks.constructEvent(body, headers['x-service-signature'] as string, secret)
  await expect.poll(listening.said).toMatch(new RegExp(`video\\.processing\\.failed +${sample.eventId} +→ 200`))
  // The forwarded text equals the text that the service would send.
  const stored = await db().webhookEvent.findUniqueOrThrow({ where: { id: real } })
  expect(receiver.log[1]?.body).toBe(stored.payload)
  await receiver.close()
  await emitMany(ctx, 1)
  await expect.poll(listening.said).toMatch(/→ ECONNREFUSED/)
  listening.child.kill('SIGINT')
  expect(await listening.ended).toBe(0)
})

test('a signal ends a command that is not done with the code that shells give it', async () => {
  const silent = createServer(() => {})
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    const asked = once(silent, 'request')
    const { child, ended } = start(['uploads', '--url', url], 'key')
    await asked
    child.kill(signal)
    expect(await ended).toBe(code)
  }
  silent.closeAllConnections()
  silent.close()
})

test('viewer show prints what is kept about a viewer, viewer end ends their sessions, and viewer erase prints a receipt', async () => {
  await startQueue(JOBS)
  const ctx = await makeAccount()
  const videoId = await makePlayable(ctx)
  const { value } = await makeKey(ctx, { scopes: ['video:read', 'viewer:read', 'viewer:write'] })
  const headers = { 'x-service-key': value, 'content-type': 'application/json' }
  const body = JSON.stringify({ viewer: { id: 'ann/ä' } })
  const issued = await fetch(`${baseUrl}/v1/video/${videoId}/playback-token`, { method: 'POST', headers, body })
  const manifest = await fetch(`${baseUrl}/v1/video/playback/manifest/${(await issued.json()).data.token}`)
  const { masterPlaylistUrl } = (await manifest.json()).data
  const shown = await run(['viewer', 'show', 'ann/ä'], value)
  expect([shown.code, JSON.parse(shown.said)]).toEqual([
    0,
    expect.objectContaining({ id: 'ann/ä', sessions: [expect.objectContaining({ videoId })] }),
  ])
  expect(await run(['viewer', 'end', 'ann/ä'], value)).toEqual({ code: 0, said: 'ended  1  ann/ä\n' })
  expect((await fetch(masterPlaylistUrl)).status).toBe(401)
  const erased = await run(['viewer', 'erase', 'ann/ä'], value)
  const receipt = join(mkdtempSync(join(tmpdir(), 'reelgate-receipt-')), 'receipt.json')
  writeFileSync(receipt, erased.said)
  const jwks = `${baseUrl}/.well-known/jwks.json`
  const verified = await run(['verify-receipt', receipt, '--jwks', jwks])
  rmSync(dirname(receipt), { recursive: true })
  expect([erased.code, verified]).toEqual([0, { code: 0, said: expect.stringMatching(/^Valid\.[\s\S]+viewer\.erasure/) }])
  await stopQueue()
  expect(await run(['viewer', 'show', 'ann/ä'], value)).toEqual({ code: 1, said: expect.stringContaining('VIEWER_NOT_FOUND') })
  expect(await run(['viewer', 'show', 'nobody'], value)).toEqual({ code: 1, said: expect.stringContaining('VIEWER_NOT_FOUND') })
})

test('viewer show reads every page', async () => {
  const page = (videoId: string, nextCursor: string | null) => ({
    success: true,
    data: { id: 'ann', videos: [{ videoId }] },
    pagination: { nextCursor },
  })
  const pages = createServer((request, response) => {
    const cursor = new URL(request.url ?? '', 'http://x').searchParams.get('cursor')
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(cursor === 'a+b' ? page('vid_2', null) : page('vid_1', 'a+b')))
  })
  await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`
  const { said } = await run(['viewer', 'show', 'ann', '--url', url], 'ak_test_1')
  pages.close()
  expect(JSON.parse(said)).toEqual({ id: 'ann', videos: [{ videoId: 'vid_1' }, { videoId: 'vid_2' }] })
})

test('reports a missing or invalid argument and exits with 1', async () => {
  const { value } = await makeKey(await makeAccount(), { scopes: ['video:read'] })
  const cases: [string[], string | undefined, RegExp][] = [
    [['listen', '--forward-to', 'http://localhost:4000'], undefined, /Specify an API key/],
    [['listen'], value, /--forward-to/],
    [['listen', '--forward-to', 'http://localhost:4000'], value, /INSUFFICIENT_SCOPE/],
    [['trigger', 'wallet.refilled'], 'ak_live_wrong', /INVALID_API_KEY/],
    [['trigger'], value, /Specify an event type/],
    [['viewer', 'show', 'ann'], value, /INSUFFICIENT_SCOPE/],
    [['viewer', 'show'], value, /Specify a viewer/],
    [['viewer', 'ann'], value, /Unknown command "viewer ann"/],
    [['toString'], value, /Unknown command "toString"/],
    [['viewer', 'end', 'ann'], undefined, /the scope viewer:write/],
    [['fly'], value, /Unknown command "fly"/],
    [['listen', '--wings'], value, /--wings/],
  ]
  for (const [args, key, message] of cases)
    expect([args, await run(args, key)]).toEqual([args, { code: 1, said: expect.stringMatching(message) }])
  expect(await run(['--help'])).toEqual({ code: 0, said: expect.stringContaining('listen --forward-to') })
})

test('npx finds it in a checkout', () => {
  const { stdout, status } = spawnSync('npx', ['--offline', 'reelgate', '--help'], { cwd: root, encoding: 'utf8', env: environment() })
  expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining('reelgate <command>') })
})
