import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from '@playwright/test'
import { Dashboard } from '../scripts/demo-dashboard.ts'
import { freePort } from '../server/platform/config/free-port.ts'

/** The whole service in a separate process, with temporary data. */
export interface Service {
  base: string
  /** A temporary folder for the caller's files. */
  folder: string
  stop(): Promise<void>
}

/** Starts `server/main.ts`; resolves when it is ready. Requires built pages. */
export async function startService(settings: Record<string, string> = {}): Promise<Service> {
  const folder = mkdtempSync(join(tmpdir(), 'reelgate-soak-'))
  const port = await freePort()
  const base = `http://localhost:${port}`
  const child = spawn(process.execPath, ['server/main.ts'], {
    cwd: join(import.meta.dirname, '..'),
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      NODE_ENV: 'production',
      PORT: String(port),
      BASE_URL: '',
      DATABASE_URL: '',
      DATA_DIR: join(folder, 'data'),
      LOG_LEVEL: 'error',
      AV1_AFTER_HOURS: '',
      ...settings,
    },
  })
  const stop = async () => {
    child.kill('SIGINT')
    if (child.exitCode === null && child.signalCode === null) await new Promise((resolve) => child.once('exit', resolve))
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    const ended = once(child, 'exit').then(([code, signal]) => Promise.reject(new Error(`The service ended with ${code ?? signal}.`)))
    const isReady = () => fetch(`${base}/readyz`).then(({ status }) => expect(status).toBe(200))
    // A start takes 7 s in quiet. Beside the other browser tests, a slow machine needed more than a minute.
    await Promise.race([expect(isReady).toPass({ timeout: 110_000 }), ended])
  } catch (error) {
    await stop()
    throw error
  }
  return { base, folder, stop }
}

export interface PublishedVideo {
  videoId: string
  /** Signed in as its owner. */
  dashboard: Dashboard
  /** Returns a fresh address of the player for it. */
  playerUrl(): Promise<string>
}

/** Signs a user up, uploads a file over HTTP, and waits until it can be played. */
export async function publishVideo(base: string, file: string, targetQuality: string, patienceMs: number): Promise<PublishedVideo> {
  const dashboard = await Dashboard.signUp(base, `viewer-${randomBytes(5).toString('hex')}@example.com`, 'a long enough password')
  const details = { filename: 'clip.mp4', filetype: 'video/mp4', title: 'Clip', targetQuality }
  const videoId = await dashboard.upload(new Uint8Array(await readFile(file)), details)
  const input = { name: 'Soak', environment: 'LIVE', scopes: ['video:read'] }
  const headers = { 'x-service-key': (await dashboard.mutate<{ value: string }>('key.create', input)).value }
  const ask = async <Data>(path: string, method = 'GET') =>
    ((await (await fetch(`${base}/v1/video/${videoId}${path}`, { method, headers })).json()) as { data: Data }).data
  await expect.poll(async () => (await ask<{ status: string }>('')).status, { timeout: patienceMs }).toBe('COMPLETED')
  return { videoId, dashboard, playerUrl: async () => (await ask<{ playerUrl: string }>('/playback-token', 'POST')).playerUrl }
}
