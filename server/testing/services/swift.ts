import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../../platform/config/free-port.ts'

/** OpenStack Swift with its S3 interface, from the distribution's packages: a real object store for tests. */
export interface Swift {
  endpoint: string
  /** Environment with the credentials, for the SDK. */
  credentials: { AWS_ACCESS_KEY_ID: string; AWS_SECRET_ACCESS_KEY: string }
  /** Creates a bucket and returns the STORAGE_URL of a prefix in it. */
  makeBucket(): Promise<string>
  /** Bounds the bytes of the parts of unfinished objects of a bucket. */
  setQuota(bucket: string, bytes: number): Promise<void>
  /** Stops responding, and responds again. */
  suspend(): void
  resume(): void
  /** Closes its port, and opens it again. */
  close(): Promise<void>
  reopen(): Promise<void>
  stop(): Promise<void>
}

/** Debian's packages of the programs below. */
export const SWIFT_PACKAGES = ['swift-proxy', 'swift-account', 'swift-container', 'swift-object', 'memcached']
/** Returns whether Swift is installed. If it is not, prints a line, and tests that need it are skipped. */
export function hasSwift(): boolean {
  const has = existsSync('/usr/lib/python3/dist-packages/swift/common/wsgi.py') && existsSync('/usr/bin/memcached')
  if (!has) process.stderr.write(`Skipped: tests of S3 need Debian's packages ${SWIFT_PACKAGES.join(', ')}\n`)
  return has
}

/** Starts Swift on free ports of 127.0.0.1 with its data in a temporary folder: one copy of each object, no replication. */
export async function startSwift(): Promise<Swift> {
  const folder = await mkdtemp(join(tmpdir(), 'reelgate-swift-'))
  const etc = join(folder, 'etc')
  await mkdir(etc)
  await mkdir(join(folder, 'srv/d1'), { recursive: true })
  const ports = { account: await freePort(), container: await freePort(), object: await freePort() }
  const [proxyPort, memcachedPort] = [await freePort(), await freePort()]
  await writeFile(join(etc, 'swift.conf'), SWIFT_CONF)
  for (const [kind, port] of Object.entries(ports)) await writeFile(join(etc, `${kind}-server.conf`), storageConf(kind, port, folder))
  await writeFile(join(etc, 'proxy-server.conf'), proxyConf(proxyPort, memcachedPort, folder))

  const user = process.getuid?.() === 0 ? ['-u', 'memcache'] : []
  const memcached = run('memcached', [...user, '-l', '127.0.0.1', '-p', String(memcachedPort), '-m', '16'])
  const startServers = () => run('/usr/bin/python3', ['-c', SERVERS, folder, JSON.stringify({ ...ports, proxy: proxyPort })])
  let servers = startServers()
  await Promise.all([...Object.values(ports), proxyPort, memcachedPort].map(listens))

  const endpoint = `http://127.0.0.1:${proxyPort}`
  await responds(endpoint)
  const credentials = { AWS_ACCESS_KEY_ID: 'test:tester', AWS_SECRET_ACCESS_KEY: 'testing' }
  return {
    endpoint,
    credentials,
    async makeBucket() {
      const bucket = `media-${randomBytes(6).toString('hex')}`
      const { S3Client, CreateBucketCommand } = await import('@aws-sdk/client-s3')
      const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = credentials
      const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials: { accessKeyId, secretAccessKey } })
      await client.send(new CreateBucketCommand({ Bucket: bucket }))
      client.destroy()
      return `s3://${bucket}/some/prefix?endpoint=${encodeURIComponent(endpoint)}`
    },
    async setQuota(bucket, bytes) {
      const { account, token } = await signIn(endpoint)
      const quota = { 'X-Auth-Token': token, 'X-Container-Meta-Quota-Bytes': String(bytes) }
      const { ok } = await fetch(`${account}/${bucket}+segments`, { method: 'POST', headers: quota })
      if (!ok) throw new Error('Swift did not accept the quota.')
    },
    suspend: () => void servers.kill('SIGSTOP'),
    resume: () => void servers.kill('SIGCONT'),
    close: () => ended(servers),
    async reopen() {
      servers = startServers()
      await listens(proxyPort)
      await responds(endpoint)
    },
    async stop() {
      await Promise.all([servers, memcached].map(ended))
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Starts a program that ends with this process, also when it is killed. */
const run = (program: string, args: string[]): ChildProcess =>
  spawn('setpriv', ['--pdeathsig', 'KILL', program, ...args], { stdio: ['ignore', 'ignore', 'inherit'] })

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await exit
}

/** Resolves when a port of 127.0.0.1 accepts connections. */
async function listens(port: number): Promise<void> {
  for (const until = Date.now() + 180_000; Date.now() < until; await wait(50)) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false))
      socket.on('connect', () => socket.destroy())
    })
    if (open) return
  }
  throw new Error(`Swift does not listen on port ${port}.`)
}

/** Returns the URL of the account of the tests and a token for it. Throws what Swift responded otherwise. */
async function signIn(endpoint: string): Promise<{ account: string; token: string }> {
  const response = await fetch(`${endpoint}/auth/v1.0`, { headers: { 'X-Auth-User': 'test:tester', 'X-Auth-Key': 'testing' } })
  const [account, token] = [response.headers.get('x-storage-url'), response.headers.get('x-auth-token')]
  if (!account || !token) throw new Error(`Swift responded ${response.status} to a sign-in.`)
  return { account, token }
}

/** Resolves when Swift serves the account: its port is open before memcached and the storage servers are in use. */
async function responds(endpoint: string): Promise<void> {
  let found: unknown
  for (const until = Date.now() + 60_000; Date.now() < until; await wait(50)) {
    try {
      const { account, token } = await signIn(endpoint)
      const { ok, status } = await fetch(account, { method: 'HEAD', headers: { 'X-Auth-Token': token } })
      if (ok) return
      found = `${status} for the account`
    } catch (error) {
      found = error
    }
  }
  throw new Error('Swift does not serve its account.', { cause: found })
}

/**
 * Runs the four servers in one process, as Swift's own functional tests do: starting Python and loading Swift is most of the cost. Arguments:
 * the folder, and the port of each server as JSON.
 */
const SERVERS = `
import json, os, sys
import eventlet
eventlet.monkey_patch()
from eventlet import wsgi
from swift.common import ring, utils
folder, ports = sys.argv[1], json.loads(sys.argv[2])
etc = os.path.join(folder, 'etc')
utils.SWIFT_CONF_FILE = os.path.join(etc, 'swift.conf')
utils.validate_hash_conf()
from swift.common.ring import RingBuilder
from swift.common.storage_policy import reload_storage_policies
from swift.common.wsgi import loadapp
reload_storage_policies()
for kind in ('account', 'container', 'object'):
    path = os.path.join(etc, kind + '.ring.gz')
    if not os.path.exists(path):
        builder = RingBuilder(2, 1, 0)
        builder.add_dev({'id': 0, 'region': 1, 'zone': 1, 'weight': 1.0, 'ip': '127.0.0.1', 'port': ports[kind], 'device': 'd1', 'replication_ip': '127.0.0.1', 'replication_port': ports[kind]})
        builder.rebalance()
        builder.get_ring().save(path)
class Quiet:
    def write(self, *args): pass
def serve(kind):
    app = loadapp(os.path.join(etc, kind + '-server.conf'), global_conf={'log_name': kind})
    return eventlet.spawn(wsgi.server, eventlet.listen(('127.0.0.1', ports[kind])), app, Quiet(), max_size=1024, log_output=False)
for thread in [serve(kind) for kind in ('account', 'container', 'object', 'proxy')]:
    thread.wait()
`

const SWIFT_CONF = `[swift-hash]
swift_hash_path_suffix = tests
swift_hash_path_prefix = tests
[storage-policy:0]
name = default
default = yes
`

// By default, the servers, which share one process here, give up after 0.5 to 1 s. An object is then stored, and its listing is left to a
// daemon that tests do not run: on a loaded machine, a listing would stay wrong.
const PATIENCE = `conn_timeout = 60
node_timeout = 60
container_update_timeout = 60
`

const common = (port: number, folder: string) => `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
user = ${userInfo().username}
swift_dir = ${join(folder, 'etc')}
log_address = ${join(folder, 'no-log')}
`

const storageConf = (kind: string, port: number, folder: string) => `${common(port, folder)}devices = ${join(folder, 'srv')}
mount_check = false
[pipeline:main]
pipeline = ${kind}-server
[app:${kind}-server]
use = egg:swift#${kind}
${PATIENCE}`

const FILTERS = ['catch_errors', 'gatekeeper', 'cache', 'listing_formats', 's3api', 'tempauth', 'container_quotas', 'bulk', 'slo', 'dlo']
const FILTER_SETTINGS: Record<string, string> = {
  s3api: 'location = us-east-1\ns3_acl = false\nmin_segment_size = 5242880\n',
  tempauth: 'user_test_tester = testing .admin\n',
}

function proxyConf(port: number, memcachedPort: number, folder: string): string {
  const filter = (name: string) =>
    `[filter:${name}]\nuse = egg:swift#${name === 'cache' ? 'memcache' : name}\n${name === 'cache' ? `memcache_servers = 127.0.0.1:${memcachedPort}\n` : (FILTER_SETTINGS[name] ?? '')}`
  return `${common(port, folder)}[pipeline:main]
pipeline = ${FILTERS.join(' ')} proxy-server
[app:proxy-server]
use = egg:swift#proxy
${PATIENCE}account_autocreate = true
allow_account_management = true
${FILTERS.map(filter).join('')}`
}
