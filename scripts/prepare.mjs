// What every command needs before it can start. Plain JavaScript for Node 20, without dependencies: it runs before there are any.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const modules = join(root, 'node_modules')

/** A line for the person waiting. On stderr: a command's standard output is its own. */
export const say = (line) => process.stderr.write(`${line}\n`)

/** Installs the packages of the lockfile if they are not there yet; `dev` includes what only tests and tools need. */
export function install({ dev }) {
  const stamp = join(modules, '.reelgate-installed')
  const wanted = hashOf(['package.json', 'package-lock.json'])
  const [installed, kind] = read(stamp).split(' ')
  if (installed === wanted && (kind === 'dev' || !dev)) return
  const withDev = dev || kind === 'dev'
  say(existsSync(modules) ? 'Updating packages…' : 'Installing packages (once)…')
  // Not `ci`: it would empty the folder under a server that runs from it, and it refuses a lockfile whose
  // optional packages for other systems the registry of whoever wrote it did not have.
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', withDev ? '--include=dev' : '--omit=dev']
  npm(['install', '--no-save', ...flags])
  writeFileSync(stamp, `${wanted} ${withDev ? 'dev' : 'prod'}`)
}

/** Generates the database client and, if `pages`, builds the pages; each only when its sources changed. */
export function build({ pages = true } = {}) {
  const schema = hashOf(['prisma/schema.prisma', 'package-lock.json'])
  fresh(join(root, 'server/infra/prisma/.built-from'), schema, () => {
    // No engine runs for `generate`; naming one keeps the command from asking for a download.
    command(['node_modules/prisma/build/index.js', 'generate'], {
      PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true',
      PRISMA_HIDE_UPDATE_MESSAGE: '1',
    })
  })
  if (!pages) return
  const sources = hashOf([
    'app',
    'server',
    'public',
    'scripts/build-player.ts',
    'scripts/build-reference.ts',
    'next.config.mjs',
    'tsconfig.json',
    'tsconfig.build.json',
    'package-lock.json',
  ])
  fresh(join(root, '.next/.built-from'), sources, () => {
    say('Building the pages (about a minute, only when something changed)…')
    command(['node_modules/next/dist/bin/next', 'build'], { NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' })
  })
}

/** Runs a script of ours until it ends, passing on the signals we get. Returns its exit code. */
export function run(args, env = {}) {
  const child = spawn(node(), args, { cwd: root, stdio: 'inherit', env: environment(env) })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  return new Promise((resolve) => child.on('exit', (code, signal) => resolve(code ?? (signal ? 1 : 0))))
}

/** The Node that runs the service: 24, from npm where there is a package, else the one that runs this. */
export function node() {
  const packaged = join(modules, `node-${process.platform}-${process.arch}`, 'bin/node')
  for (const candidate of [packaged, process.execPath]) {
    if (!existsSync(candidate)) continue
    const { stdout } = spawnSync(candidate, ['--version'], { encoding: 'utf8' })
    if (Number(/^v(\d+)/.exec(stdout ?? '')?.[1]) >= 24) return candidate
  }
  say(
    `Reelgate runs on Node 24. There is no packaged one for ${process.platform}-${process.arch}, and this is ${process.version}: install Node 24.`,
  )
  process.exit(1)
}

export function environment(extra = {}) {
  return {
    ...process.env,
    PATH: [dirname(node()), join(modules, '.bin'), process.env.PATH].join(delimiter),
    NEXT_TELEMETRY_DISABLED: '1',
    ...extra,
  }
}

function npm(args) {
  const path = process.env.npm_execpath
  const result = path
    ? spawnSync(process.execPath, [path, ...args], { cwd: root, stdio: ['ignore', 2, 2] })
    : spawnSync('npm', args, { cwd: root, stdio: ['ignore', 2, 2] })
  if (result.status !== 0) {
    say('The packages could not be installed. Is the npm registry reachable?')
    process.exit(1)
  }
}

function command(args, env) {
  const result = spawnSync(node(), args, { cwd: root, encoding: 'utf8', env: environment(env), maxBuffer: 64 * 1024 ** 2 })
  if (result.status === 0) return
  say(`${result.stdout}\n${result.stderr}\nThe build failed.`)
  process.exit(1)
}

function fresh(stamp, wanted, make) {
  if (read(stamp) === wanted) return
  make()
  mkdirSync(dirname(stamp), { recursive: true })
  writeFileSync(stamp, wanted)
}

function read(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

/** What a build writes among its sources. */
const GENERATED = ['server/infra/prisma', 'public/player', 'public/reference']

/** One hash over files and folders (tests and generated code left out), names included. */
function hashOf(paths) {
  const hash = createHash('sha256')
  const add = (path) => {
    if (!existsSync(join(root, path))) return
    if (statSync(join(root, path)).isDirectory()) {
      for (const name of readdirSync(join(root, path)).sort()) if (!GENERATED.includes(`${path}/${name}`)) add(`${path}/${name}`)
    } else if (!/\.test\.tsx?$/.test(path)) hash.update(`${path}\0`).update(readFileSync(join(root, path)))
  }
  for (const path of paths) add(path)
  return hash.digest('hex')
}
