import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { freePort } from '../platform/config/free-port.ts'
import { isInstalled } from '../testing/services/proxies.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, 'deploy', path), 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'reelgate-sites-'))
const pem = join(folder, 'site.pem')
let web: Server
const stops: (() => void)[] = []

beforeAll(async () => {
  // Worker processes of nginx run as another user when the test runs as root.
  chmodSync(folder, 0o755)
  web = createServer((_req, res) => res.end('Reelgate')).listen(0, '127.0.0.1')
  const subject = ['-subj', '/CN=video.example.com', '-days', '1', '-nodes']
  const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'cert.pem')]
  expect(spawnSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', ...subject, ...files]).status).toBe(0)
  writeFileSync(pem, readFileSync(join(folder, 'cert.pem'), 'utf8') + readFileSync(join(folder, 'key.pem'), 'utf8'))
})
afterAll(() => {
  for (const stop of stops) stop()
  web.close()
  rmSync(folder, { recursive: true, force: true })
})

const address = () => `127.0.0.1:${(web.address() as AddressInfo).port}`

async function start(program: string, args: string[], port: number, env: Record<string, string> = {}): Promise<void> {
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: 'ignore' })
  stops.push(() => child.kill('SIGTERM'))
  const isUp = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => resolve(void socket.destroy())).on('error', reject)
    })
  await vi.waitFor(isUp)
}

const get = (port: number, host: string, method = 'GET') =>
  new Promise<{ status: number | undefined; location: string | undefined; body: string }>((resolve, reject) => {
    request({ port, host: '127.0.0.1', path: '/v1/video?limit=1', method, headers: { host } }, async (res) =>
      resolve({ status: res.statusCode, location: res.headers.location, body: (await res.toArray()).join('') }),
    )
      .on('error', reject)
      .end()
  })

/** Enables the lines that a sample has for a certificate. */
const withCertificate = (text: string) => text.replace(/^( *)# (?=(?:listen|ssl_\w+|if|bind|http-request redirect) )/gm, '$1')

test.skipIf(!isInstalled('nginx'))('nginx serves the sample next to the default site of Debian, and redirects to https', async () => {
  const [http, https] = [await freePort(), await freePort()]
  const ports = (text: string) =>
    text
      .replace(/^ *listen \[::].*\n/gm, '')
      .replace(/^( *)listen 80\b/gm, `$1listen 127.0.0.1:${http}`)
      .replace(/^( *)listen 443\b/gm, `$1listen 127.0.0.1:${https}`)
      .replaceAll('/etc/letsencrypt/live/video.example.com/fullchain.pem', join(folder, 'cert.pem'))
      .replaceAll('/etc/letsencrypt/live/video.example.com/privkey.pem', join(folder, 'key.pem'))
  const run = async (name: string, listen: string) => {
    const at = join(folder, name)
    mkdirSync(join(at, 'reelgate'), { recursive: true })
    writeFileSync(join(at, 'reelgate.conf'), read('nginx/reelgate.conf'))
    writeFileSync(join(at, 'reelgate/upstream.conf'), read('nginx/reelgate/upstream.conf').replace(/127\.0\.0\.1:300[12]/g, address()))
    writeFileSync(join(at, 'reelgate/listen.conf'), ports(listen))
    const site = 'server {\n  listen 80 default_server;\n  server_name _;\n  location / { return 200 "Welcome to nginx!"; }\n}\n'
    writeFileSync(join(at, 'default'), ports(site))
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${join(at, kind)};`)
    const text = `daemon off; pid ${join(at, 'pid')}; error_log stderr; events {} http { access_log off; ${temporary.join(' ')} include reelgate.conf; include default; }\n`
    writeFileSync(join(at, 'nginx.conf'), text)
    await start('nginx', ['-c', join(at, 'nginx.conf'), '-e', 'stderr'], http)
  }
  await run('plain', read('nginx/reelgate/listen.conf'))
  for (const host of ['video.example.com', '203.0.113.7', 'localhost']) expect((await get(http, host)).body).toBe('Reelgate')
  stops.pop()?.()
  await vi.waitFor(() => expect(get(http, 'x')).rejects.toThrow())
  await run('secure', withCertificate(read('nginx/reelgate/listen.conf')))
  const location = 'https://video.example.com/v1/video?limit=1'
  expect(await get(http, 'video.example.com', 'POST')).toMatchObject({ status: 308, location })
})

test.skipIf(!isInstalled('haproxy'))('haproxy redirects to https with the lines of the sample for a certificate', async () => {
  const [http, https] = [await freePort(), await freePort()]
  const sample = withCertificate(read('haproxy/haproxy.cfg')).replace('*:443', `127.0.0.1:${https}`).replace('/etc/haproxy/certs/', pem)
  writeFileSync(join(folder, 'haproxy.cfg'), sample)
  const env = { REELGATE_BIND: `127.0.0.1:${http}`, REELGATE_WEB_1: address(), REELGATE_WEB_2: address() }
  await start('haproxy', ['-db', '-f', join(folder, 'haproxy.cfg')], http, env)
  const location = 'https://video.example.com/v1/video?limit=1'
  expect(await get(http, 'video.example.com', 'POST')).toMatchObject({ status: 308, location })
})
