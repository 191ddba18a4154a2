import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { env } from './platform/config/config.ts'
import { freePort } from './platform/config/free-port.ts'
import { query } from './platform/database/database.ts'
import { testDatabase } from './testing/database.ts'
import { makeAccount, makeKey } from './testing/make.ts'
import { atFileEnd } from './testing/media/file-end.ts'
import { shortClip } from './testing/media/media-files.ts'
import { makePlayable } from './testing/media/playable.ts'
import { type Service, startService } from './testing/services/whole-service.ts'
import { provide } from './testing/settings.ts'
import { cookieFor } from './testing/sign-in.ts'

/** Requests of the whole trial behind each proxy. */
const REQUESTS = Number(process.env.REELGATE_ROLLING_REQUESTS ?? 100_000)
/** Seconds of the drain: HAProxy below takes a process out after two failed checks, which takes a second. */
const DRAIN_SEC = '4'
const CLIENTS = 24

/** The least that a proxy can do: nginx as it is installed, which checks nothing, and HAProxy that repeats nothing. */
const PROXIES = {
  nginx: (folder: string, port: number, webs: number[]) => {
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((name) => `${name}_temp_path ${join(folder, name)};`)
      .join(' ')
    const servers = webs.map((web) => `server 127.0.0.1:${web};`).join(' ')
    const server = `listen 127.0.0.1:${port}; location / { proxy_pass http://reelgate; proxy_set_header Host $http_host; }`
    writeFileSync(
      join(folder, 'config'),
      `daemon off; pid ${join(folder, 'pid')}; error_log stderr; events {} http { access_log off; ${temporary} client_max_body_size 0;
       upstream reelgate { ${servers} } server { ${server} } }`,
    )
    return ['-c', join(folder, 'config'), '-e', 'stderr']
  },
  haproxy: (folder: string, port: number, webs: number[]) => {
    const servers = webs.map((web, at) => `  server web${at} 127.0.0.1:${web}`).join('\n')
    writeFileSync(
      join(folder, 'config'),
      `defaults
  mode http
  timeout connect 2s
  timeout client 130s
  timeout server 130s
  retries 0
frontend public
  bind 127.0.0.1:${port}
  default_backend reelgate
backend reelgate
  option httpchk GET /readyz
  default-server check inter 500ms fall 2 rise 1
${servers}
`,
    )
    return ['-db', '-f', join(folder, 'config')]
  },
}

const { url: databaseUrl, dataDir } = await testDatabase()
// The viewers repeat the same address of a key.
provide({ REELGATE_TEST_KEY_URL_SEC: '86400' })
const agent = new Agent({ keepAlive: true, maxSockets: 64 })

interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: string
}

function send(
  url: string,
  method: string,
  headers: Record<string, string | number>,
  body?: (write: (part: Buffer) => void) => Promise<void>,
) {
  return new Promise<Answer>((resolve, reject) => {
    const sent = request(url, { method, headers, agent }, (response) => {
      const parts: Buffer[] = []
      response
        .on('data', (part: Buffer) => parts.push(part))
        .on('error', reject)
        .on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(parts).toString() }))
    })
    sent.on('error', reject)
    if (body) void body((part) => sent.write(part)).then(() => sent.end())
    else sent.end()
  })
}

let key: Record<string, string>
let cookie: string
let clip: Buffer
let video: Awaited<ReturnType<typeof makePlayable>>
beforeAll(async () => {
  const owner = await makeAccount()
  const { id, value } = await makeKey(owner)
  await query('quota', 'UPDATE api_key SET daily_quota = 10000000 WHERE id = $1', [id])
  key = { 'x-service-key': value }
  cookie = await cookieFor(owner)
  video = await makePlayable(owner)
  clip = await readFile(await shortClip())
})

/** Starts a web process on a port; resolves once it is ready. */
async function startWeb(port: number): Promise<Service> {
  const { REELGATE_SECRET = '' } = env()
  const service = startService(dataDir, {
    ...{ ROLES: 'web', PORT: `127.0.0.1:${port}`, DATABASE_URL: databaseUrl, REELGATE_SECRET, BASE_URL: 'http://localhost' },
    ...{ DRAIN_SEC, LOG_LEVEL: 'error', ACCOUNT_FREE_TOKENS: '100000000', MAX_UNFINISHED_UPLOADS: '1000', MAX_PENDING_VIDEOS: '100000' },
  })
  await service.says(/Reelgate is ready/)
  return service
}

/** What the clients do, each one of them again and again. */
const journeys: ((base: string, ask: typeof send) => Promise<void>)[] = [
  async (base, ask) => void (await ask(`${base}/v1/video/${video.id}`, 'GET', key)),
  // Not idempotent: no proxy repeats it.
  async (base, ask) => void (await ask(`${base}/v1/video/${video.id}/playback-token`, 'POST', key)),
  async (base, ask) => {
    for (const path of [...video.granted, video.segment]) await ask(base + path, 'GET', {})
  },
  async (base, ask) => {
    const tus = { Cookie: cookie, 'Tus-Resumable': '1.0.0', Host: 'localhost' }
    const metadata = `title ${Buffer.from('Rolling').toString('base64')}`
    const made = await ask(`${base}/api/upload`, 'POST', { ...tus, 'Upload-Length': clip.length, 'Upload-Metadata': metadata })
    const patch = { ...tus, 'Upload-Offset': 0, 'Content-Type': 'application/offset+octet-stream', 'Content-Length': clip.length }
    await ask(base + made.headers.location, 'PATCH', patch, async (write) => {
      const part = Math.ceil(clip.length / 4)
      for (let at = 0; at < clip.length; at += part) {
        write(clip.subarray(at, at + part))
        await wait(250)
      }
    })
  },
]

describe.runIf(process.env.REELGATE_SOAK)('a rolling restart of two web processes under load', () => {
  for (const name of Object.keys(PROXIES) as (keyof typeof PROXIES)[]) {
    const installed = spawnSync(name, ['-v']).status === 0
    if (!installed) process.stderr.write(`${name} is not installed: the rolling restart behind it is not tested.\n`)
    test.runIf(installed)(
      `behind ${name} fails none of ${REQUESTS} requests`,
      async () => {
        const folder = mkdtempSync(join(tmpdir(), `reelgate-${name}-`))
        chmodSync(folder, 0o755)
        const ports = [await freePort(), await freePort()]
        const webs = await Promise.all(ports.map(startWeb))
        const port = await freePort()
        const proxy = spawn(name, PROXIES[name](folder, port, ports), { stdio: ['ignore', 'ignore', 'pipe'] })
        let said = ''
        proxy.stderr.on('data', (part) => (said += part))
        atFileEnd(() => {
          proxy.kill('SIGKILL')
          rmSync(folder, { recursive: true, force: true })
        })
        const base = `http://127.0.0.1:${port}`
        await expect
          .poll(() =>
            fetch(`${base}/healthz`).then(
              ({ status }) => status,
              () => said,
            ),
          )
          .toBe(200)

        const counts = new Map<string, number>()
        const failures: string[] = []
        let sent = 0
        const ask: typeof send = async (url, method, headers, body) => {
          sent++
          const answer = await send(url, method, headers, body).catch((error: NodeJS.ErrnoException) => ({
            ...{ status: 0, headers: {}, body: error.code ?? error.message },
          }))
          const what = `${method} ${answer.status}`
          counts.set(what, (counts.get(what) ?? 0) + 1)
          if (![200, 201, 204].includes(answer.status)) failures.push(`${method} ${url}: ${answer.status} ${answer.body.slice(0, 200)}`)
          return answer
        }
        const clients = Array.from({ length: CLIENTS }, async (_, client) => {
          const journey = journeys[client % journeys.length] as (typeof journeys)[number]
          while (sent < REQUESTS && failures.length < 20) await journey(base, ask)
        })
        let restarts = 0
        const done = Promise.all(clients).then(() => true)
        for (let at = 0; !(await Promise.race([done, wait(1_000, false)])); at = 1 - at) {
          const web = webs[at] as Service
          web.signal('SIGTERM')
          expect(await web.ended).toBe(0)
          webs[at] = await startWeb(ports[at] as number)
          restarts++
          // HAProxy takes it in after its next check, nginx after ten seconds.
          await wait(name === 'nginx' ? 10_500 : 1_500)
        }
        console.log(`${name}: ${sent} requests, ${restarts} restarts, ${failures.length} failed; ${[...counts].map(String).join(' · ')}`)
        proxy.kill('SIGTERM')
        for (const web of webs) web.signal('SIGINT')
        await Promise.all(webs.map(({ ended }) => ended))
        expect(failures).toEqual([])
        expect(restarts).toBeGreaterThan(1)
      },
      1_800_000,
    )
  }
})
