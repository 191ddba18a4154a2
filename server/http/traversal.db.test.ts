import { mkdir, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect } from 'node:net'
import { basename, dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { keyUrl } from '../modules/delivery/segments/key-url.ts'
import { masterPlaylistUrl } from '../modules/delivery/sessions/media-permit.ts'
import { contentName } from '../modules/transcoding/encode/segment-store.ts'
import { storage } from '../platform/storage/storage.ts'
import { testDatabase } from '../testing/database.ts'
import { startHttpServer } from '../testing/http-server.ts'
import { makeAccount, makeVideo } from '../testing/make.ts'
import { closeHttpServer, makeHttpServer } from './http-server.ts'

const { dataDir } = await testDatabase()
const CANARY = 'the canary was read'
const OUTSIDE = `${basename(dataDir)}-canary.ts`
afterAll(() => rm(join(dataDir, '..', OUTSIDE), { force: true }))
let base: string
let videoId: string
let opened: string

beforeAll(async () => {
  base = await startHttpServer()
  videoId = await makeVideo(await makeAccount())
  // What a path could reach: the secret next to the media, an original, another video's picture, a file outside.
  for (const file of [
    'secret',
    'secret.ts',
    'secret.jpg',
    'media/sources/vid_x',
    'media/secret.ts',
    'media/extras/vid_x/picture',
    `../${OUTSIDE}`,
  ]) {
    const path = join(dataDir, file)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, CANARY)
  }
  const segment = Buffer.from('a segment')
  const name = contentName(segment)
  await storage().put(`segments/${videoId}/${name}.ts`, segment)
  opened = `/cdn/segments/${videoId}/${name}.ts`
})

/** Sends an address unchanged; clients normalise theirs. */
function raw(path: string, to = base, method = 'GET'): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(to)
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(Number(port), hostname, () => socket.write(`${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`))
    socket.setEncoding('utf8').on('data', (part) => {
      text += part
    })
    socket.on('end', () => resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]), text }))
    socket.on('error', reject)
  })
}

const DOTS = [
  '..',
  '%2e%2e',
  '.%2e',
  '%2e.',
  '%2E%2E',
  '%252e%252e',
  '%c0%ae%c0%ae',
  '%u002e%u002e',
  '....',
  '..%00',
  '..;',
  '.%00.',
  '%ef%bc%8e%ef%bc%8e',
  '..%20',
]
const SLASHES = ['/', '%2f', '%2F', '\\', '%5c', '%252f', '%c0%af', '//', '%ef%bc%8f']
const TARGETS = ['secret', 'secret.ts', 'media%2fsecret.ts', 'etc/passwd', 'sources%2fvid_x', OUTSIDE]

it('no spelling of a path leads out of the media', async () => {
  const ways = DOTS.flatMap((dots) =>
    SLASHES.flatMap((slash) => [1, 2, 3, 5].map((depth) => `${`${dots}${slash}`.repeat(depth)}${TARGETS[depth % TARGETS.length]}`)),
  )
  const { pathname } = new URL(masterPlaylistUrl(videoId, 9).url)
  const permit = pathname.split('/').at(-2)
  const keys = new URL(keyUrl(videoId)).search
  const places = [
    (way: string) => `/cdn/segments/${videoId}/${way}`,
    (way: string) => `/cdn/segments/${way}`,
    (way: string) => `/cdn/segments/${way}/${'0'.repeat(32)}.ts`,
    (way: string) => `/cdn/hls/${videoId}/${permit}/${way}`,
    (way: string) => `/cdn/hls/${way}/${permit}/master.m3u8`,
    (way: string) => `/cdn/hls/${videoId}/${permit}/poster-${way}.jpg`,
    (way: string) => `/cdn/hls/${videoId}/${permit}/captions-${way}.vtt`,
    (way: string) => `/cdn/keys/${way}${keys}`,
    (way: string) => `/cdn/${way}`,
  ]
  const paths = ways.flatMap((way, at) =>
    [places[at % places.length], places[(at * 7 + 3) % places.length]].map((place) => place?.(way) ?? ''),
  )
  expect(new Set(paths).size).toBeGreaterThan(800)
  const answers = await Promise.all(paths.map(async (path) => ({ path, ...(await raw(path)) })))
  const escaped = answers.filter(({ status, text }) => text.includes(CANARY) || text.includes('root:') || status < 400 || status >= 500)
  expect(escaped.map(({ path, status }) => `${status} ${path}`)).toEqual([])
  // The legitimate path still works.
  expect((await raw(opened)).text).toContain('a segment')
})

it('no other spelling of a path reaches Next, the uploads, health or the router', async () => {
  const asked: string[] = []
  const server = await makeHttpServer((req, res) => {
    asked.push(req.url ?? '')
    res.writeHead(req.url === '/not-found' ? 404 : 200).end(req.url)
  })
  onTestFinished(() => closeHttpServer(server, 500))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const to = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const targets = ['v1/openapi.json', opened.slice(1), '.well-known/jwks.json', 'api/trpc/account.me', 'api/upload', 'healthz', 'videos']
  const ups = DOTS.flatMap((dots) => SLASHES.map((slash) => dots + slash)).filter((up) => !/%25|%c0|%u|%ef|\.{4}|%00|;|%20/i.test(up))
  expect(ups.length).toBeGreaterThan(20)
  const encoded = (path: string) => `%${path.charCodeAt(0).toString(16)}${path.slice(1)}`
  const paths = targets.flatMap((target) => [
    ...ups.flatMap((up) => [`/x/${up}${target}`, `/${up}${target}`, `/videos/${up}${up}${target}`, `/api/upload/${up}${up}${target}`]),
    ...[
      `//${target}`,
      `/.//${target}`,
      `/./${target}`,
      `/%2e/${target}`,
      `/\\${target}`,
      `/%5c${target}`,
      `\\${target}`,
      `/x//../${target}`,
    ],
    ...[
      `/${encoded(target)}`,
      `/${target}/..`,
      `/${target}/.`,
      `/${target}/%2e%2e`,
      `/${target.replace('/', '//')}x//y`,
      `/x#/../${target}`,
    ],
    ...[`/${target.replace('/', '%2f')}/..`, `http://x/y/../${target}`, `http://x//${target}`, `http://x/${encoded(target)}`],
  ])
  for (const method of ['GET', 'POST']) {
    const answers = await Promise.all(paths.map(async (path) => ({ path, ...(await raw(path, to, method)) })))
    expect(answers.filter(({ status }) => status !== 404 && status !== 400).map(({ path, status }) => `${status} ${path}`)).toEqual([])
  }
  expect(new Set(asked)).toEqual(new Set(['/not-found']))
  // Codes that a path needs, and a slash at its end, are passed on.
  for (const path of ['/videos/', '/docs/a%20b', '/api/trpc/a.b%2Cc.d', '/_next/static/%5Bid%5D/%28a%29.js', '/watch/a.b..c?next=/../x//y'])
    expect((await raw(path, to)).text).toContain(path)
  expect((await raw('/v1/openapi.json', to)).status).toBe(200)
})

it('storage refuses every key that leads out of its folder', async () => {
  const outs = DOTS.flatMap((dots) => SLASHES.map((slash) => decodeURIComponentOr(`segments/${dots}${slash}${dots}${slash}secret`)))
  for (const key of outs) {
    const read = async () => {
      let text = ''
      for await (const part of storage().read(key)) text += Buffer.from(part).toString()
      return text
    }
    expect(await read().catch(() => 'refused')).not.toContain(CANARY)
  }
})

function decodeURIComponentOr(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
