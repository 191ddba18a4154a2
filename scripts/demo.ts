import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { makeSampleClip } from '../server/modules/transcoding/quality/sample-clip.ts'
import { env, loadEnvFile } from '../server/platform/config/config.ts'
import { SDK_FILE } from '../server/platform/sdk-file.ts'
import { buildContainer } from '../server/services.ts'
import { type DemoAccount, demoFiles, presentVideo, storeAccount, workingKey } from './demo-account.ts'
import { Dashboard } from './demo-dashboard.ts'
import { watchAsViewers } from './demo-viewers.ts'

const { values: options } = parseArgs({ options: { once: { type: 'boolean', default: false }, new: { type: 'boolean', default: false } } })
loadEnvFile()
buildContainer()
const baseUrl = env().BASE_URL
const print = (line: string) => process.stdout.write(`${line}\n`)

async function ready(): Promise<boolean> {
  try {
    const response = await fetch(`${baseUrl}/readyz`, { signal: AbortSignal.timeout(2_000) })
    const body = (await response.json()) as { checks?: { migrations?: string } }
    return response.ok && body.checks?.migrations === 'applied'
  } catch {
    return false
  }
}

/** Whether a signal to stop was received. */
let leaving = false

/** The demo's server yields to one started at the same time (`npm start` in another terminal), which may need this long to respond. */
const OTHERS_MS = 10_000

/** Starts a server unless one responds. Its output goes to stderr, so that the demo's last line is the last on stdout. */
async function serverRunning(): Promise<{ stop(): Promise<void>; ended?: Promise<void> }> {
  if (await ready()) {
    print(`Using the server at ${baseUrl}`)
    return { stop: async () => {} }
  }
  print(`Starting a server at ${baseUrl} …`)
  // The channel notifies it when this process ends, even after a SIGKILL.
  const child = spawn(process.execPath, ['server/main.ts'], { stdio: ['ignore', 2, 2, 'ipc'] })
  let endedAt: number | undefined
  const ended = new Promise<void>((resolve) => {
    child.on('exit', () => {
      endedAt = performance.now()
      resolve()
    })
  })
  const leave = (signal: NodeJS.Signals) => {
    leaving = true
    child.kill(signal)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, leave)
  process.on('disconnect', () => leave('SIGINT'))
  // The channel's listener must not keep this process running.
  process.channel?.unref()
  while (!(await ready())) {
    if (endedAt !== undefined && performance.now() - endedAt > OTHERS_MS) throw new Error('The server did not start. See its output above.')
    await wait(250)
  }
  if (endedAt !== undefined) {
    print(`Using the server at ${baseUrl}, which was started at the same time`)
    return { stop: async () => {} }
  }
  return {
    ended,
    async stop() {
      child.kill('SIGINT')
      await ended
    },
  }
}

async function uploadSample(dashboard: Dashboard): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'reelgate-demo-'))
  try {
    print('Creating a sample clip (20 s, with audio)…')
    const clip = join(dir, 'sample.mp4')
    await makeSampleClip(clip)
    print('Uploading it …')
    return await dashboard.upload(await readFile(clip), {
      title: 'Sample clip',
      filename: 'sample.mp4',
      filetype: 'video/mp4',
      targetQuality: '720p',
    })
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

/** Polls the public API, as a backend would, at a shorter interval. */
async function untilCompleted(apiKey: string, videoId: string): Promise<void> {
  const began = Date.now()
  for (let [shown, announced] = [false, false]; ; await wait(500)) {
    const response = await fetch(`${baseUrl}/v1/video/${videoId}`, { headers: { 'x-service-key': apiKey } })
    const { data } = (await response.json()) as { data: { status: string } }
    if (data.status === 'COMPLETED') return
    if (data.status === 'FAILED') throw new Error('Could not transcode the sample. The dashboard shows the reason.')
    if (!shown) print('Transcoding …')
    shown = true
    if (data.status !== 'PENDING' || announced || Date.now() - began < 20_000) continue
    announced = true
    print('Still waiting for a worker. Check that one is running (ROLES) and has found ffmpeg.')
  }
}

async function playerUrl(apiKey: string, videoId: string): Promise<string> {
  const response = await fetch(`${baseUrl}/v1/video/${videoId}/playback-token`, { method: 'POST', headers: { 'x-service-key': apiKey } })
  const { data } = (await response.json()) as { data: { playerUrl: string } }
  return data.playerUrl
}

function tour(found: { email: string; password: string; apiKey: string; videoId: string; playerUrl: string; name: string }): void {
  const key = `-H 'x-service-key: ${found.apiKey}'`
  print(`
Your demo account
  Dashboard   ${baseUrl}/sign-in
  Email       ${found.email}
  Password    ${found.password}

Try these commands:
  # list all videos in the account
  curl -s ${key} ${baseUrl}/v1/video
  # get one video
  curl -s ${key} ${baseUrl}/v1/video/${found.videoId}
  # create a playback token, valid for 5 minutes (open its playerUrl in a browser)
  curl -s -X POST ${key} ${baseUrl}/v1/video/${found.videoId}/playback-token
  # exchange the token for a manifest, as a player does
  curl -s ${baseUrl}/v1/video/playback/manifest/${new URL(found.playerUrl).searchParams.get('token')}

For your own project, in its folder (the settings hold a test key with every scope):
  cp ${join(process.cwd(), `${found.name}.env`)} .env
  set -a && . ./.env && set +a
  npm install "$REELGATE_URL/${SDK_FILE}"
  npx -p @reelgate/sdk reelgate listen --forward-to http://localhost:4000/hooks
In another terminal, with the same settings:
  npx -p @reelgate/sdk reelgate trigger video.processing.completed

Watch the video (link valid for 5 minutes):
  ${found.playerUrl}
`)
}

/** Returns an earlier run's account, with what it now lacks, or a new one. */
async function demoAccount(): Promise<{ account: DemoAccount; name: string }> {
  const dataDir = resolve(env().DATA_DIR)
  const { name, account: found } = await demoFiles(baseUrl, dataDir)
  const earlier = options.new ? undefined : found
  if (earlier) print(`Using the demo account from an earlier run, ${earlier.account.email} (--new creates another)`)
  const password = earlier?.account.password ?? randomBytes(12).toString('base64url')
  const email = earlier?.account.email ?? `demo-${randomBytes(4).toString('hex')}@example.com`
  const dashboard = earlier?.dashboard ?? (await Dashboard.signUp(baseUrl, email, password))
  const apiKey = await workingKey(dashboard, { baseUrl, value: earlier?.account.apiKey, environment: 'LIVE' })
  const testKey = await workingKey(dashboard, { baseUrl, value: earlier?.account.testKey, environment: 'TEST' })
  const present = earlier && (await presentVideo({ baseUrl, apiKey, videoId: earlier.account.videoId }))
  const videoId = present ?? (await uploadSample(dashboard))
  const account = { baseUrl, email, password, apiKey, testKey, videoId }
  await storeAccount(account, { name, dataDir })
  await untilCompleted(apiKey, videoId)
  print('Playing it as a dozen viewers …')
  await watchAsViewers({ baseUrl, apiKey, videoId, durationSec: 20 })
  return { account, name }
}

async function demo(): Promise<void> {
  const server = await serverRunning()
  try {
    const { account, name } = await demoAccount()
    const found = { ...account, playerUrl: await playerUrl(account.apiKey, account.videoId) }
    tour({ ...found, name })
    print(JSON.stringify(found))
    if (options.once) await server.stop()
  } catch (error) {
    await server.stop()
    throw error
  }
  await server.ended
}

try {
  await demo()
} catch (error) {
  if (!leaving) process.stderr.write(`\n${(error as Error).message}\n`)
  process.exitCode = 1
}
