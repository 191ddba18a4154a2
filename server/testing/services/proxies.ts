import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../../platform/config/free-port.ts'
import { atFileEnd } from '../media/file-end.ts'

const samples = join(import.meta.dirname, '../../../deploy')

/** One run of a proxy: its command and the address where it listens. `folder` is its own and is removed at the end. */
interface Start {
  folder: string
  port: number
  /** `host:port` of each web process. */
  webs: readonly [string, string]
  /** Whether HAProxy repeats requests as its sample says, or none. */
  repeats: boolean
}

/** Writes the sample of HAProxy without what repeats requests, so that each refused connection is a failed request. */
function withoutRetries(folder: string): string {
  const file = join(folder, 'haproxy.cfg')
  const lines = readFileSync(join(samples, 'haproxy/haproxy.cfg'), 'utf8').split('\n')
  const kept = lines.filter((line) => !/^ +(option redispatch|retry-on|http-request disable-l7-retry)/.test(line))
  writeFileSync(file, kept.map((line) => (/^ +retries/.test(line) ? '  retries 0' : line)).join('\n'))
  return file
}

interface Program {
  /** Arguments that make it print its version, to find out whether it is installed. */
  version: string[]
  command(start: Start): { args: string[]; env?: Record<string, string> }
}

/** The proxies for which `deploy/` has a sample. Each sample is used unchanged; what differs is set the way its head describes. */
const PROGRAMS = {
  nginx: {
    version: ['-v'],
    command({ folder, port, webs }) {
      // Worker processes of nginx run as another user when the test runs as root.
      chmodSync(folder, 0o755)
      mkdirSync(join(folder, 'reelgate'))
      cpSync(join(samples, 'nginx/reelgate.conf'), join(folder, 'reelgate.conf'))
      const servers = webs.map((web) => `server ${web} max_fails=1 fail_timeout=2s;`).join(' ')
      writeFileSync(join(folder, 'reelgate/upstream.conf'), `upstream reelgate { ${servers} keepalive 64; }\n`)
      writeFileSync(join(folder, 'reelgate/listen.conf'), `listen 127.0.0.1:${port};\n`)
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${join(folder, name)};`)
      writeFileSync(
        join(folder, 'nginx.conf'),
        `daemon off; pid ${join(folder, 'pid')}; error_log stderr; events {} http { access_log off; ${temporary.join(' ')} include reelgate.conf; }\n`,
      )
      return { args: ['-c', join(folder, 'nginx.conf'), '-e', 'stderr'] }
    },
  },
  haproxy: {
    version: ['-v'],
    command: ({ folder, port, webs: [one, two], repeats }) => ({
      args: ['-db', '-f', repeats ? join(samples, 'haproxy/haproxy.cfg') : withoutRetries(folder)],
      env: { REELGATE_BIND: `127.0.0.1:${port}`, REELGATE_WEB_1: one, REELGATE_WEB_2: two },
    }),
  },
  caddy: {
    version: ['version'],
    command: ({ folder, port, webs: [one, two] }) => ({
      args: ['run', '--adapter', 'caddyfile', '--config', join(samples, 'caddy/Caddyfile')],
      env: {
        REELGATE_SITE: `http://127.0.0.1:${port}`,
        REELGATE_WEB_1: one,
        REELGATE_WEB_2: two,
        REELGATE_CADDY_ADMIN: 'off',
        HOME: folder,
      },
    }),
  },
} satisfies Record<string, Program>

export type ProxyName = keyof typeof PROGRAMS

export const PROXIES = Object.keys(PROGRAMS) as ProxyName[]

/** Returns whether the program of a proxy is installed; prints a line if it is not. */
export function isInstalled(name: ProxyName): boolean {
  const installed = spawnSync(name, PROGRAMS[name].version).status === 0
  if (!installed) process.stderr.write(`${name} is not installed: its sample in deploy/ is not tested.\n`)
  return installed
}

export interface RunningProxy {
  url: string
  port: number
  stop(): Promise<void>
}

/** Starts a proxy with its sample in front of two web processes (`host:port`). It ends with the test file at the latest. */
export async function startProxy(name: ProxyName, webs: readonly [string, string], { repeats = true } = {}): Promise<RunningProxy> {
  const folder = mkdtempSync(join(tmpdir(), `reelgate-${name}-`))
  const port = await freePort()
  const { args, env }: ReturnType<Program['command']> = PROGRAMS[name].command({ folder, port, webs, repeats })
  const child = spawn(name, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (said += part))
  let ended = false
  const end = new Promise<void>((resolve) => child.once('close', () => resolve())).then(() => (ended = true))
  const stop = async () => {
    child.kill('SIGTERM')
    await end
    rmSync(folder, { recursive: true, force: true })
  }
  atFileEnd(stop)
  const url = `http://127.0.0.1:${port}`
  while (!(await isUp(url))) {
    if (ended) throw new Error(`${name} ended: ${said}`)
    await wait(20)
  }
  return { url, port, stop }
}

const isUp = (url: string) =>
  fetch(`${url}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  )
