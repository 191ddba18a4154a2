import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { chromium } from '@playwright/test'

const SYSTEM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/usr/bin/google-chrome-stable']

const QUIET = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--disable-quic',
  '--disable-gpu',
]

/** A Chromium to test in: $CHROMIUM_PATH, the system's, Playwright's own, else the one that npm installed. */
export async function browser(): Promise<{ executablePath: string; args: string[] }> {
  const args = [...QUIET, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), '--autoplay-policy=no-user-gesture-required']
  const chosen = process.env.CHROMIUM_PATH
  if (chosen === 'npm') return fromNpm(args)
  for (const executablePath of [chosen, ...SYSTEM, chromium.executablePath()]) {
    if (executablePath && existsSync(executablePath)) return { executablePath, args }
  }
  return fromNpm(args)
}

/** Unpacks the browser inside the npm package; its libraries come along only if it thinks it is in their usual place. */
async function fromNpm(args: string[]): Promise<{ executablePath: string; args: string[] }> {
  process.env.AWS_LAMBDA_JS_RUNTIME = 'nodejs22.x'
  const loaded = createRequire(import.meta.url)('@sparticuz/chromium') as Packaged & { default?: Packaged }
  const packaged = loaded.default ?? loaded
  const safe = packaged.args.filter((flag) => flag !== '--disable-web-security')
  return { executablePath: await packaged.executablePath(), args: [...safe, ...args] }
}

interface Packaged {
  args: string[]
  executablePath(): Promise<string>
}
