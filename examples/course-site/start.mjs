// `npm start`: installs what is missing, forwards webhooks to this machine, and serves the site.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

// Checked first, because an older Node lacks node:sqlite, and the build would fail only after minutes of installation.
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 13)) {
  console.error(`This site requires Node.js 22.13 or newer. This is ${process.version}.`)
  process.exit(1)
}

const here = import.meta.dirname
process.chdir(here)
// `npm run demo` of Reelgate writes demo.env.
for (const file of ['.env', join(here, '../../demo.env')]) if (existsSync(file)) process.loadEnvFile(file)
const { REELGATE_URL, REELGATE_API_KEY, PORT = '4000' } = process.env
if (!REELGATE_URL || !REELGATE_API_KEY) {
  console.error('Set REELGATE_URL and REELGATE_API_KEY, or run `npm run demo` in the folder of Reelgate first.')
  process.exit(1)
}

const require = createRequire(import.meta.url)
const has = (name) => existsSync(join(here, 'node_modules', name)) || resolves(name)
function resolves(name) {
  try {
    return Boolean(require.resolve(`${name}/package.json`))
  } catch {
    return false
  }
}
const must = (command, ...args) => {
  const { status } = spawnSync(command, args, { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
if (!has('next')) must('npm', 'install')
// Reelgate serves the client of its own version as a package.
if (!has('@reelgate/sdk')) must('npm', 'install', '--no-save', `${REELGATE_URL}/sdk.tgz`)

const children = []
const stop = () => {
  for (const child of children) child.kill('SIGTERM')
}
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, stop)

/** Starts a program of a package, and ends when it ends. */
function start(file, args, options) {
  const child = spawn(process.execPath, [file, ...args], options)
  children.push(child)
  child.on('exit', (code) => {
    process.exitCode ||= code ?? 0
    stop()
  })
  return child
}

/** Returns the signing secret of webhooks, from the account's endpoint or from `reelgate listen`, which forwards them here. */
async function webhookSecret() {
  if (process.env.WEBHOOK_SECRET) return process.env.WEBHOOK_SECRET
  const command = join(here, 'node_modules/@reelgate/sdk/bin/reelgate.mjs')
  const child = start(command, ['listen', '--forward-to', `http://localhost:${PORT}/api/hooks`], { stdio: ['ignore', 'pipe', 'inherit'] })
  return new Promise((resolve) => {
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (text) => {
      said += text
      const [secret] = /whsec_\w+/.exec(said) ?? []
      if (secret) resolve(secret)
    })
  })
}

const next = require.resolve('next/dist/bin/next')
if (!existsSync('.next/BUILD_ID')) must(process.execPath, next, 'build')
const env = { ...process.env, NODE_ENV: 'production', WEBHOOK_SECRET: await webhookSecret() }
start(next, ['start', '-p', PORT], { stdio: 'inherit', env })
