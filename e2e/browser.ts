import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from '@playwright/test'

interface Browser {
  executablePath: string
  args: string[]
  /** Its environment, where it needs another one. */
  env?: Record<string, string>
}

/** Debian's chromium-headless-shell comes first: the same engine without windows takes two fifths less CPU per page. */
const SYSTEM = [
  '/usr/lib/chromium/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
]

const QUIET = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--disable-quic',
  '--disable-gpu',
  '--autoplay-policy=no-user-gesture-required',
]

/**
 * Returns a Chromium for the tests: $CHROMIUM_PATH, the system's, Playwright's own, else (or with CHROMIUM_PATH=npm) the one that npm
 * installed.
 */
export async function browser(): Promise<Browser> {
  const chosen = process.env.CHROMIUM_PATH
  if (chosen === 'npm') return fromNpm()
  for (const executablePath of [chosen, ...SYSTEM, chromium.executablePath()]) {
    if (!executablePath || !existsSync(executablePath)) continue
    return { executablePath, args: [...QUIET, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])] }
  }
  return fromNpm()
}

const packageFile = join(import.meta.dirname, '../node_modules/@sparticuz/chromium/package.json')
const folder = join(import.meta.dirname, '../.cache/chromium')

/**
 * Unpacks the browser of the npm package, once. The package itself would use the system's temporary folder, which another user may own, and
 * accept an incomplete copy. It targets Lambda: it adds its libraries only there, and its flags (one process, no web security) create a
 * browser unlike users' own.
 */
async function fromNpm(): Promise<Browser> {
  const { version } = JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string }
  const unpacked = join(folder, `unpacked-${version}`)
  if (!existsSync(unpacked)) rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const before = { ...process.env }
  Object.assign(process.env, { TMPDIR: folder, AWS_LAMBDA_JS_RUNTIME: 'nodejs22.x' })
  const { default: packaged } = (await import('@sparticuz/chromium')) as { default: { executablePath(): Promise<string> } }
  const executablePath = await packaged.executablePath()
  if (!existsSync(unpacked)) {
    writeFileSync(join(folder, 'fonts/fonts.conf'), fontsIn(join(folder, 'fonts')))
    writeFileSync(unpacked, '')
  }
  const env = { ...process.env, TMPDIR: before.TMPDIR ?? '/tmp' } as Record<string, string>
  for (const name of Object.keys(env)) if (before[name] === undefined) delete process.env[name]
  Object.assign(process.env, before)
  // It has no sandbox helper, and not every system lets users create one.
  return { executablePath, args: [...QUIET, '--no-sandbox'], env }
}

/** The package looks for its fonts at Lambda's path; without any, text has no height and headings count as hidden. */
const fontsIn = (folder: string) => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>${xml(folder)}</dir>
  <cachedir>${xml(`${folder}-cache`)}</cachedir>
</fontconfig>
`

const xml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
