import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from '@playwright/test'
import { publishVideo } from '../../e2e/service.ts'
import { makeSampleClip } from '../../server/modules/transcoding/quality/sample-clip.ts'
import { freePort } from '../../server/platform/config/free-port.ts'
import { startEmbeddedPostgres } from '../../server/platform/postgres/embedded.ts'
import { buildContainer } from '../../server/services.ts'

/**
 * Builds the image of the Dockerfile without a daemon and runs the service in it as its ordinary user: an upload is transcoded with the
 * image's ffmpeg, every page is served, the health check passes, SIGTERM ends it. As root, with Debian's buildah and debootstrap.
 *
 * IMAGE_BASE: the base image, such as debian:trixie-slim. Unset: one that debootstrap makes from the packages of Debian.
 * IMAGE_BUILD: further arguments of `buildah bud`, such as --secret id=npmrc,src=… where packages come from a mirror.
 */
const MAX_MEGABYTES = 700

const root = join(import.meta.dirname, '../..')
const began = Date.now()
const print = (line: string) => console.log(`${((Date.now() - began) / 1000).toFixed(0).padStart(5)} s  ${line}`)
const folder = mkdtempSync(join(tmpdir(), 'reelgate-image-'))
const own = ['--root', join(folder, 'store'), '--runroot', join(folder, 'run')]
const buildah = (...args: string[]) =>
  execFileSync('buildah', [...own, ...args], { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 1e8 }).trim()

/** Makes an image of Debian's minimal system, without what the slim images of Debian leave out as well. */
function makeBase(): string {
  const system = join(folder, 'debian')
  execFileSync('debootstrap', ['--variant=minbase', 'trixie', system], { stdio: ['ignore', 'ignore', 'inherit'] })
  for (const path of ['usr/share/doc', 'usr/share/man', 'usr/share/locale', 'var/cache/apt', 'var/lib/apt/lists'])
    rmSync(join(system, path), { recursive: true })
  const container = buildah('from', 'scratch')
  buildah('add', container, system, '/')
  buildah('commit', '--rm', container, 'localhost/debian:trixie')
  rmSync(system, { recursive: true })
  return 'localhost/debian:trixie'
}

/** Prints the size of the image's parts in megabytes. Returns the whole. */
function measure(container: string): number {
  const mount = buildah('mount', container)
  const size = (path: string) => Number(execFileSync('du', ['-smx', join(mount, path)], { encoding: 'utf8' }).split('\t')[0])
  for (const path of ['srv/reelgate/node_modules', 'srv/reelgate/.next', 'srv/reelgate', 'usr/lib', '.'])
    print(`${size(path)} MB  /${path}`)
  const whole = size('.')
  buildah('umount', container)
  return whole
}

/** Returns the ids of a process's descendants. */
const descendants = (pid: number): number[] =>
  globSync(`/proc/${pid}/task/*/children`).flatMap((file) =>
    readFileSync(file, 'utf8')
      .split(' ')
      .filter(Boolean)
      .flatMap((child) => [Number(child), ...descendants(Number(child))]),
  )

/** Sends SIGTERM to the service's init, as a container engine does, and resolves with the exit code. */
async function terminate(child: ChildProcess): Promise<number | null> {
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const init = descendants(child.pid as number).find((pid) => readFileSync(`/proc/${pid}/comm`, 'utf8') === 'tini\n')
  if (init === undefined) throw new Error('The container has no tini.')
  process.kill(init, 'SIGTERM')
  return ended
}

const PAGES = ['/', '/videos', '/api-keys', '/usage', '/requests', '/billing', '/team', '/webhooks', '/settings', '/settings/security']
const OPEN_PAGES = [
  '/sign-up',
  '/docs',
  '/docs/playback',
  '/docs/webhooks',
  '/docs/reference',
  '/v1/openapi.json',
  '/.well-known/jwks.json',
]

mkdirSync(join(folder, 'postgres'))
buildContainer()
const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres'), durable: false })
let child: ChildProcess | undefined
try {
  const base = process.env.IMAGE_BASE ?? makeBase()
  const further = process.env.IMAGE_BUILD?.split(' ').filter(Boolean) ?? []
  buildah('bud', '--isolation', 'chroot', '--format', 'docker', '--build-arg', `BASE=${base}`, ...further, '-t', 'reelgate', '.')
  print('built the image')
  const container = buildah('from', '--pull-never', 'localhost/reelgate')
  const whole = measure(container)
  expect(whole).toBeLessThanOrEqual(MAX_MEGABYTES)

  const port = await freePort()
  const address = `http://localhost:${port}`
  const settings = {
    PORT: String(port),
    DATABASE_URL: postgres.url,
    DATABASE_OWNER_URL: postgres.ownerUrl,
    BASE_URL: address,
    DRAIN_SEC: '0',
  }
  const run = [
    'run',
    '--isolation',
    'chroot',
    ...Object.entries(settings).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
    container,
  ]
  child = spawn('buildah', [...own, ...run, '/usr/bin/tini', '-s', '--', 'node', 'server/main.ts'], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  await expect(() => fetch(`${address}/readyz`).then(({ status }) => expect(status).toBe(200))).toPass({ timeout: 120_000 })
  expect(buildah(...run, 'id', '-u')).toBe('10001')
  buildah(...run, 'node', 'deploy/health.mjs')
  print(`ready as an ordinary user; ${buildah(...run, 'ffmpeg', '-version').split('\n', 1)[0]}`)

  const clip = join(folder, 'clip.mp4')
  await makeSampleClip(clip)
  const { dashboard, playerUrl } = await publishVideo(address, clip, '720p', 600_000)
  print('a clip was uploaded and transcoded')
  const cookie = dashboard
    .cookieJar()
    .map(({ name, value }) => `${name}=${value}`)
    .join('; ')
  for (const page of [...PAGES, ...OPEN_PAGES, (await playerUrl()).slice(address.length)]) {
    const { status } = await fetch(address + page, { headers: OPEN_PAGES.includes(page) ? {} : { cookie }, redirect: 'manual' })
    expect([page, status]).toEqual([page, 200])
  }
  expect(await terminate(child)).toBe(0)
  print('passed')
} finally {
  if (child?.exitCode === null) await terminate(child).catch(() => child?.kill('SIGKILL'))
  await postgres.stop()
  execFileSync('buildah', [...own, 'rm', '--all'], { stdio: 'ignore' })
  execFileSync('buildah', [...own, 'rmi', '--all', '--force'], { stdio: 'ignore' })
  rmSync(folder, { recursive: true, force: true })
}
