// The setup that every command needs before it can start. Plain JavaScript for Node 20, without dependencies, because it runs before any is
// installed.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  constants as access,
  accessSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimes,
  writeFileSync,
} from 'node:fs'
import { constants } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

export const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const modules = join(root, 'node_modules')
/** Names the lockfile and the kind of packages that are installed. */
const stamp = join(modules, '.reelgate-installed')

/** Prints a line for the user who is waiting. On stderr, because stdout is reserved for a command's output. */
export const print = (line) => process.stderr.write(`${line}\n`)

/** Installs the packages of the lockfile if they are missing; `dev` includes those that only builds and tests need. */
export async function install({ dev }) {
  const wanted = hashOf(['package.json', 'package-lock.json'])
  const kind = () => (read(stamp).startsWith(wanted) ? read(stamp).split(' ')[1] : undefined)
  const done = () => kind() === 'dev' || (kind() === 'prod' && !dev)
  await once(done, async () => {
    const withDev = dev || read(stamp).endsWith(' dev')
    // A killed npm leaves packages with missing files, and takes them for complete on the next run.
    const unfinished = join(root, '.cache/installing')
    if (existsSync(unfinished)) rmSync(modules, { recursive: true, force: true })
    print(existsSync(modules) ? 'Updating packages…' : 'Installing packages (once, about a minute)…')
    rmSync(stamp, { force: true })
    writeFileSync(unfinished, '')
    const installed = await npmInstall({ dev: withDev })
    rmSync(unfinished)
    if (!installed) {
      print('Could not install the packages. Check that the npm registry is reachable.')
      process.exit(1)
    }
    complete()
    writeFileSync(stamp, `${wanted} ${withDev ? 'dev' : 'prod'}`)
  })
}

/** Does the work of the packages' blocked install scripts. Prints what fails, which a start also reports. */
export const complete = () => spawnSync(node(), ['scripts/complete-packages.ts'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })

/** Removes the packages that only builds and tests need. The server starts without them while no source changes. */
export async function prune() {
  if (!(await npmInstall({ dev: false }))) process.exit(1)
  // npm keeps what an optional peer of another package names: the Prisma command, Playwright and what they need.
  const { packages } = JSON.parse(read(join(root, 'package-lock.json')))
  for (const [path, { devOptional }] of Object.entries(packages))
    if (devOptional) rmSync(join(root, path), { recursive: true, force: true })
  declarePruned()
}

/** Records that the packages for builds and tests are not installed. */
export const declarePruned = () => writeFileSync(stamp, `${hashOf(['package.json', 'package-lock.json'])} prod`)

const CLIENT = { stamp: 'server/platform/prisma/.built-from', sources: ['prisma/schema.prisma', 'package-lock.json'] }
const PAGE_SOURCES = [
  ...['app', 'server', 'public', 'instrumentation.ts', 'proxy.ts', 'mdx-components.tsx'],
  ...['next.config.mjs', 'tsconfig.json', 'package-lock.json'],
]
const SDK_SOURCES = ['sdk/src', 'sdk/bin', 'sdk/package.json', 'sdk/tsconfig.json', 'sdk/README.md', 'sdk/CHANGELOG.md']
const PAGE_SCRIPTS = ['scripts/build-player.ts', 'scripts/build-sdk.ts', 'scripts/add-csv-parse.mjs', ...SDK_SOURCES]
const PAGES = { stamp: '.next/.built-from', sources: [...PAGE_SOURCES, ...PAGE_SCRIPTS] }

const isFresh = ({ stamp, sources }) => read(join(root, stamp)) === hashOf(sources)

/** Returns whether `build` has nothing to do, so that the packages for builds are not needed. */
export const isBuilt = ({ pages = true } = {}) => isFresh(CLIENT) && (!pages || isFresh(PAGES))

/** Generates the database client and, if `pages`, builds the pages, each only if its sources changed. */
export async function build({ pages = true } = {}) {
  await fresh(CLIENT, () =>
    // `generate` runs no engine; a named one keeps the command from downloading it.
    command(['node_modules/prisma/build/index.js', 'generate'], {
      PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true',
      PRISMA_HIDE_UPDATE_MESSAGE: '1',
    }),
  )
  if (!pages) return
  await fresh(PAGES, () => {
    print('Building the pages (about a minute; skipped if nothing changed)…')
    return command(['node_modules/next/dist/bin/next', 'build'], { NODE_ENV: 'production' })
  })
}

/** Rebuilds when the sources differ from those recorded in `stamp`, which is absent during the build. */
async function fresh(target, make) {
  const file = join(root, target.stamp)
  await once(
    () => isFresh(target),
    async () => {
      rmSync(file, { force: true })
      const wanted = hashOf(target.sources)
      await make()
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, wanted)
    },
  )
}

/** Runs `work` unless it is done, with an exclusive lock on this folder: `npm start` and `npm test` may run at the same time. */
async function once(done, work) {
  if (done()) return
  const lock = join(root, '.cache/preparing')
  try {
    mkdirSync(dirname(lock), { recursive: true })
    accessSync(root, access.W_OK)
    accessSync(dirname(lock), access.W_OK)
  } catch (error) {
    print(`This folder needs a build, and this user cannot write to it (${error.code}). Run npm run build as the user who owns it.`)
    process.exit(1)
  }
  for (let announced = false; !take(lock); announced = true) {
    if (!announced) print('Waiting for another install or build in this folder…')
    await wait(200)
  }
  const beat = setInterval(() => utimes(lock, new Date(), new Date(), () => {}), 2_000)
  const release = () => rmSync(lock, { force: true })
  process.once('exit', release)
  try {
    if (!done()) await work()
  } finally {
    clearInterval(beat)
    process.off('exit', release)
    release()
  }
}

const LOCK_DIES_MS = 60_000

function take(lock) {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
  }
  // Its owner was killed, or the machine was.
  const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? 0)
  if (!alive(Number(read(lock))) || age > LOCK_DIES_MS) rmSync(lock, { force: true })
  return false
}

function alive(pid) {
  try {
    return pid > 0 && process.kill(pid, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/** Runs one of the project's scripts until it ends. Returns its exit code. Its channel closes when this process dies, which notifies it. */
export async function run(args, env = {}) {
  const child = spawn(node(), args, { cwd: root, stdio: ['inherit', 'inherit', 'inherit', 'ipc'], env: environment(env) })
  return (await follow(child)).code
}

/** Runs one step of many. Returns its exit code; after a signal to stop, the remaining steps are not started. */
export async function step(args, env = {}) {
  return codeUnlessStopped(await follow(spawn(node(), args, { cwd: root, stdio: 'inherit', env: environment(env) })))
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP']

/**
 * Waits for a child to end and forwards the signals received until then (in a `group`, to all its processes, with SIGKILL after a delay).
 */
async function follow(child, { group = false } = {}) {
  let stopped
  const pass = (signal) => {
    stopped = signal
    if (!group) return child.kill(signal)
    process.kill(-child.pid, signal)
    // npm would first finish its running steps, which may take as long as the installation.
    setTimeout(() => process.kill(-child.pid, 'SIGKILL'), 1_500).unref()
  }
  for (const signal of SIGNALS) process.on(signal, pass)
  const code = await new Promise((resolve) => {
    child.on('error', (error) => {
      print(error.message)
      resolve(1)
    })
    child.on('close', (code, signal) => resolve(code ?? 128 + constants.signals[signal]))
  })
  for (const signal of SIGNALS) process.off(signal, pass)
  return { code, stopped }
}

function codeUnlessStopped({ code, stopped }) {
  if (stopped) process.exit(128 + constants.signals[stopped])
  return code
}

let found

/** Returns the Node that runs the service: 24, from npm if there is a package, otherwise the one that runs this. */
export function node() {
  if (found) return found
  const packaged = join(modules, `node-${process.platform}-${process.arch}`, 'bin/node')
  found = [packaged, process.execPath].find((candidate) => {
    const { stdout } = spawnSync(candidate, ['--version'], { encoding: 'utf8' })
    return Number(/^v(\d+)/.exec(stdout ?? '')?.[1]) >= 24
  })
  if (found) return found
  print(
    `Reelgate runs on Node 24. No packaged version exists for ${process.platform}-${process.arch}, and the current version is ${process.version}. Install Node 24.`,
  )
  process.exit(1)
}

export function environment(extra = {}) {
  return {
    // Node keeps compiled code there, which saves a third of a server's start.
    NODE_COMPILE_CACHE: join(root, '.cache/compiled'),
    ...process.env,
    PATH: [dirname(node()), join(modules, '.bin'), process.env.PATH].join(delimiter),
    NEXT_TELEMETRY_DISABLED: '1',
    ...extra,
  }
}

/**
 * Makes the installed packages match the lockfile. Not `ci`: it would empty the folder under a server that runs from it, and it refuses a
 * lockfile without other systems' optional packages, which its author's registry may not have had.
 */
const npmInstall = ({ dev }) =>
  npm(['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', dev ? '--include=dev' : '--omit=dev'])

async function npm(args) {
  const path = process.env.npm_execpath ?? ''
  const [program, ...first] = path.endsWith('npm-cli.js') ? [process.execPath, path] : ['npm']
  const child = spawn(program, [...first, ...args], { cwd: root, detached: true, stdio: ['ignore', 'ignore', 'inherit'] })
  return codeUnlessStopped(await follow(child, { group: true })) === 0
}

async function command(args, env) {
  const child = spawn(node(), args, { cwd: root, detached: true, stdio: ['ignore', 'pipe', 'pipe'], env: environment(env) })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  if (codeUnlessStopped(await follow(child, { group: true })) === 0) return
  print(`${output}\nThe build failed.`)
  process.exit(1)
}

function read(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** Files that a build writes among its sources. */
const isGenerated = (path) => ['server/platform/prisma', 'public/player'].includes(path) || /^public\/.*\.tgz$/.test(path)

/** Returns one hash of files and folders, including names, without tests and generated code. */
function hashOf(paths) {
  const hash = createHash('sha256')
  const add = (path) => {
    if (!existsSync(join(root, path))) return
    if (statSync(join(root, path)).isDirectory()) {
      for (const name of readdirSync(join(root, path)).sort()) if (!isGenerated(`${path}/${name}`)) add(`${path}/${name}`)
    } else if (!/\.test\.tsx?$/.test(path)) hash.update(`${path}\0`).update(readFileSync(join(root, path)))
  }
  for (const path of paths) add(path)
  return hash.digest('hex')
}
