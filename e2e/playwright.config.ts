import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from '@playwright/test'
import { freePort } from '../server/platform/config/free-port.ts'
import { browser } from './browser.ts'

// Playwright reads this file in every worker as well; values chosen once are passed on by the environment.
process.env.REELGATE_E2E_PORT ??= String(await freePort())
process.env.REELGATE_E2E_STRIPE_PORT ??= String(await freePort())
process.env.REELGATE_E2E_SMTP_PORT ??= String(await freePort())
process.env.REELGATE_E2E_SPEECH_PORT ??= String(await freePort())
process.env.REELGATE_E2E_OIDC_PORT ??= String(await freePort())
process.env.REELGATE_E2E_MAIL_URL ??= `http://localhost:${await freePort()}`
process.env.REELGATE_E2E_DATA ??= dataOfThisRun()
// Prepared videos contain content keys sealed with it (prepared-video.ts).
process.env.REELGATE_SECRET ??= 'a secret for the browser tests of this repository'
// It reads the ports.
const { mailStandIn, standIns } = await import('./stand-ins.ts')
// E2E_BASE_URL tests a running server, possibly on another machine.
const running = process.env.E2E_BASE_URL
const baseURL = running ?? `http://localhost:${process.env.REELGATE_E2E_PORT}`
const launchOptions = await browser()
const isGate = process.env.REELGATE_TESTS === 'gate'

export default defineConfig({
  testDir: '.',
  testIgnore: 'screens.spec.ts',
  outputDir: '../.cache/playwright',
  globalSetup: './stand-ins.ts',
  // Two more than the cores of a small machine: tests often wait, for playback and for the server.
  workers: 4,
  fullyParallel: true,
  forbidOnly: true,
  // They end what hangs, even on a machine at a fifth of the speed. None of them is an assertion about time.
  timeout: isGate ? 120_000 : 600_000,
  expect: { timeout: 60_000 },
  reporter: [['list'], ['json']],
  // A trace takes a tenth of a test's time, so it is recorded on request only.
  use: {
    baseURL,
    launchOptions,
    trace: process.env.REELGATE_TRACE ? 'retain-on-failure' : 'off',
    screenshot: 'only-on-failure',
    // A click that finds nothing fails before it uses up the whole test's time.
    actionTimeout: 60_000,
  },
  webServer: running
    ? undefined
    : [
        server(baseURL, process.env.REELGATE_E2E_DATA, {
          // The test that pays starts its stand-in.
          STRIPE_SECRET_KEY: 'sk_test_e2e',
          STRIPE_WEBHOOK_SECRET: 'whsec_e2e',
          REELGATE_TEST_STRIPE_URL: `http://127.0.0.1:${process.env.REELGATE_E2E_STRIPE_PORT}`,
          // The test that generates captions starts its stand-in.
          SPEECH_URL: `http://127.0.0.1:${process.env.REELGATE_E2E_SPEECH_PORT}/v1`,
          SPEECH_ALLOWED_HOSTS: `127.0.0.1:${process.env.REELGATE_E2E_SPEECH_PORT}`,
          // Receivers of webhooks are on this machine.
          WEBHOOK_ALLOWED_HOSTS: 'localhost',
          // So are servers that imports read.
          IMPORT_ALLOWED_HOSTS: 'localhost',
          ...standIns,
        }),
        server(process.env.REELGATE_E2E_MAIL_URL, join(process.env.REELGATE_E2E_DATA, 'of-the-one-that-mails'), mailStandIn),
      ],
})

/** Returns a separate service, on separate data. */
function server(address: string, dataDir: string, settings: Record<string, string>) {
  return {
    // A shell runs it, and the path to Node may contain any character.
    command: 'exec "$REELGATE_NODE" server/main.ts',
    cwd: '..',
    url: `${address}/readyz`,
    timeout: 180_000,
    gracefulShutdown: { signal: 'SIGINT' as const, timeout: 15_000 },
    env: {
      REELGATE_NODE: process.execPath,
      PORT: new URL(address).port,
      DATA_DIR: dataDir,
      NODE_ENV: 'production',
      BASE_URL: '',
      DATABASE_URL: '',
      ...settings,
    },
  }
}

/** Creates the data folder and deletes it when the runner ends: the server stops after Playwright's own teardown. */
function dataOfThisRun(): string {
  const folder = mkdtempSync(join(tmpdir(), 'reelgate-e2e-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}
