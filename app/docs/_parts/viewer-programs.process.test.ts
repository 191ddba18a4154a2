import { execFile, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { AccountCtx } from '#server/context'
import { JOBS } from '#server/jobs'
import { recordProgress } from '#server/modules/delivery/viewers/progress'
import { startQueue, stopQueue } from '#server/platform/job-queue'
import { send } from '#server/testing/client'
import { stopClock } from '#server/testing/clock'
import { testDatabase } from '#server/testing/database'
import { startHttpServer } from '#server/testing/http-server'
import { makeAccount, makeKey, makePlayable } from '#server/testing/make'
import { compileSdk } from '../../../scripts/build-sdk.ts'

await testDatabase()
const put = await stopClock(undefined)
const baseUrl = await startHttpServer()
/** Holds the programs of docs/snippets, next to the package that npm would install. */
const folder = mkdtempSync(join(tmpdir(), 'reelgate-viewer-programs-'))
afterAll(() => rmSync(folder, { recursive: true }))
afterAll(stopQueue)

let owner: AccountCtx
let key: string
beforeAll(async () => {
  await startQueue(JOBS)
  cpSync(join(process.cwd(), 'docs/snippets'), folder, { recursive: true })
  mkdirSync(join(folder, 'node_modules/@reelgate/sdk'), { recursive: true })
  await compileSdk(join(folder, 'node_modules/@reelgate/sdk'))
  owner = await makeAccount()
  key = (await makeKey(owner, { scopes: ['video:read', 'viewer:read', 'viewer:write'] })).value
})

const hasShell = [['curl'], ['jq']].every(([command = '']) => spawnSync(command, ['--version']).status === 0)
if (!hasShell) process.stderr.write('Skipped: the shell programs of the guides need curl and jq\n')
const LANGUAGES = hasShell ? (['mjs', 'sh'] as const) : (['mjs'] as const)

/** Runs a program of a guide in the folder of all; returns its exit code and output. */
function run(name: string, language: 'mjs' | 'sh', videoId: string, as = key) {
  const env = { ...process.env, REELGATE_URL: baseUrl, REELGATE_API_KEY: as, VIDEO_ID: videoId }
  return new Promise<{ code: unknown; output: string; error: string }>((resolve) =>
    execFile(
      language === 'mjs' ? process.execPath : 'sh',
      [join(folder, `${name}.${language}`)],
      { cwd: folder, env },
      (failed, output, error) => resolve({ code: failed?.code ?? 0, output: output.trim(), error }),
    ),
  )
}

const newVideo = () => makePlayable(owner, { durationSec: 100 })
const exchange = async (playerUrl: string) => {
  const { status, body } = await send(`${baseUrl}/v1/video/playback/manifest/${new URL(playerUrl).searchParams.get('token')}`)
  return { status, ...JSON.parse(body) }
}

/** Lets a viewer play a part of a video, an hour after everything before. */
let hours = 0
async function watch(viewerId: string, videoId: string, from: number, to: number): Promise<void> {
  const headers = { 'x-service-key': key, 'content-type': 'application/json' }
  const body = JSON.stringify({ viewer: { id: viewerId } })
  const issued = await send(`${baseUrl}/v1/video/${videoId}/playback-token`, { method: 'POST', headers, body })
  const { token, playerUrl } = JSON.parse(issued.body).data
  await exchange(playerUrl)
  await put(new Date(Date.now() + ++hours * 3_600_000))
  const { jti } = JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString())
  await recordProgress(jti, 100, { spans: [[from, to]], positionSec: to })
}

it.each(LANGUAGES)('the program that limits devices (%s) lets a third one end the first', async (language) => {
  const videoId = await newVideo()
  const urls: string[] = []
  for (let at = 0; at < 3; at++) urls.push((await run('limit-devices', language, videoId)).output)
  const manifests: Awaited<ReturnType<typeof exchange>>[] = []
  for (const url of urls) manifests.push(await exchange(url))
  expect(manifests.map(({ status }) => status)).toEqual([200, 200, 200])
  const statuses = () => Promise.all(manifests.map(async ({ data }) => (await send(data.masterPlaylistUrl)).status))
  await expect.poll(statuses).toEqual([401, 200, 200])
})

it.each(LANGUAGES)('the program that ends sessions (%s) ends them', async (language) => {
  const { data } = await exchange((await run('limit-devices', 'mjs', await newVideo())).output)
  const { code, output } = await run('end-sessions', language, '')
  expect([code, output]).toEqual([0, expect.stringMatching(/^[1-9]$|"ended": ?[1-9]/)])
  expect((await send(data.masterPlaylistUrl)).status).toBe(401)
})

it.each(LANGUAGES)('the program that restricts playback (%s) gives a URL that works nowhere else', async (language) => {
  const { output } = await run('restrict-playback', language, await newVideo())
  // The test's own address has no country.
  expect(await exchange(output)).toMatchObject({ status: 403, error: { code: 'PLAYBACK_NOT_ALLOWED', details: { reason: 'COUNTRY' } } })
})

it.each(LANGUAGES)('the program that resumes (%s) starts where the user stopped, and lists what is unfinished', async (language) => {
  const [begun, finished] = [await newVideo(), await newVideo()]
  await watch('student-42', finished, 0, 100)
  await watch('student-42', begun, 0, 40)
  const { output } = await run('resume', language, begun)
  const [url = '', ...unfinished] = output.split('\n')
  expect((await exchange(url)).data.resumeAt).toBe(40)
  expect(unfinished[0]).toBe(`${begun} 40 of 100 s`)
  expect(output).not.toContain(`${finished} `)
})

it.each(LANGUAGES)('the program that lists who watched (%s) prints everyone with their share, or what was refused', async (language) => {
  const videoId = await newVideo()
  expect(await run('who-watched', language, videoId)).toMatchObject({ code: 0, output: '' })
  await watch('student-1', videoId, 0, 95)
  await watch('student-2', videoId, 0, 40)
  const { code, output } = await run('who-watched', language, videoId)
  expect([code, output.split('\n')]).toEqual([
    0,
    ['student-2 40 % not completed', expect.stringMatching(/^student-1 95 % completed 20\d\d-/)],
  ])
  const refused = await run('who-watched', language, videoId, 'ak_live_wrong')
  expect([refused.code, refused.output + refused.error]).toEqual([1, expect.stringContaining('INVALID_API_KEY')])
})

it.each(LANGUAGES)('the program that erases a user (%s) saves the signed receipt', async (language) => {
  await watch('student-42', await newVideo(), 0, 10)
  const { code } = await run('erase-viewer', language, '')
  const saved = join(folder, 'student-42.receipt.json')
  const { data, ...bare } = JSON.parse(readFileSync(saved, 'utf8'))
  const { receipt } = data ?? bare
  expect([code, receipt]).toEqual([0, expect.objectContaining({ kind: 'viewer.erasure', rows: expect.objectContaining({ viewer: 1 }) })])
  const headers = { 'x-service-key': key }
  expect((await send(`${baseUrl}/v1/viewer/student-42`, { headers })).status).toBe(404)
})
