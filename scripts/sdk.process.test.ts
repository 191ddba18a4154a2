import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clientOf, SAMPLES as OPERATION_SAMPLES } from '../app/docs/reference/_parts/samples.ts'
import { SAMPLES } from '../app/docs/sdk/_parts/samples.ts'
import { ACTIONS } from '../server/audit-actions.ts'
import { ERRORS } from '../server/errors.ts'
import { JOBS } from '../server/jobs.ts'
import { settings } from '../server/platform/config/settings.ts'
import { testDatabase } from '../server/testing/database.ts'
import { startHttpServer } from '../server/testing/http-server.ts'
import { makeAccount, makeKey, makeVideo } from '../server/testing/make.ts'
import { GENERATED, generateClient } from './sdk.ts'

await testDatabase()
const baseUrl = await startHttpServer()

const run = promisify(execFile)
const root = join(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'reelgate-sdk-'))
afterAll(() => rmSync(folder, { recursive: true }))

const files = (dir: string) =>
  Object.fromEntries(
    readdirSync(dir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .sort()
      .map((path) => [path.slice(dir.length), readFileSync(path, 'utf8')]),
  )

it('the committed client is what the description yields (write it with npm run sdk)', async () => {
  await generateClient(join(folder, 'generated'))
  expect(files(join(folder, 'generated'))).toEqual(files(GENERATED))
})

describe('the packed package in a fresh project', () => {
  const project = join(folder, 'project')
  const env = { ...process.env, PATH: `${join(root, 'node_modules/.bin')}${delimiter}${process.env.PATH}` }
  const npm = (args: string[], cwd: string) => run('npm', [...args, '--no-audit', '--no-fund', '--loglevel=error'], { cwd, env })
  const compile = (moduleResolution: 'nodenext' | 'bundler', names = ['app.ts'], more = {}) => {
    const module = moduleResolution === 'bundler' ? 'esnext' : 'nodenext'
    const lib = ['es2022', 'dom']
    const compilerOptions = { strict: true, target: 'es2022', module, moduleResolution, lib, types: [], skipLibCheck: false, ...more }
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: names }))
    writeFileSync(join(project, 'app.ts'), TYPED)
    return run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', project, '--noEmit'], { cwd: project }).then(
      () => '',
      (error: { stdout: string }) => error.stdout,
    )
  }
  const installed = join(project, 'node_modules/@reelgate/sdk')
  const manifest = () => JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))

  beforeAll(async () => {
    mkdirSync(project)
    // Packing builds. `npm test` hands down the root's refusal of install scripts, which would leave that out.
    await npm(['pack', '--ignore-scripts=false', '--pack-destination', folder], join(root, 'sdk'))
    const [tarball = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
    writeFileSync(join(project, 'package.json'), '{"name":"fresh","private":true,"type":"module"}')
    await npm(['install', '--offline', join(folder, tarball)], project)
  })

  it('brings nothing along and holds no source of ours', () => {
    expect(readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['@reelgate'])
    expect(readdirSync(installed).sort()).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'bin', 'dist', 'package.json'])
    expect(Object.keys(files(installed)).filter((path) => !/\.(md|mjs|js|d\.ts)$/.test(path))).toEqual(['/LICENSE', '/package.json'])
    expect(readFileSync(join(installed, 'LICENSE'), 'utf8')).toBe(readFileSync(join(root, 'LICENSE'), 'utf8'))
  })

  it('has a manifest with which it can be published', () => {
    const packed = manifest()
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    expect(packed).toMatchObject({
      name: '@reelgate/sdk',
      version,
      license: 'Apache-2.0',
      type: 'module',
      publishConfig: { access: 'public' },
    })
    expect(packed.private).toBeUndefined()
    expect(packed.dependencies ?? packed.peerDependencies ?? packed.optionalDependencies).toBeUndefined()
    expect(packed.engines.node).toMatch(/^>=\d+/)
    const paths = [packed.types, ...Object.values(packed.bin), ...Object.values(packed.exports['.'])] as string[]
    expect(paths.length).toBe(4)
    for (const path of paths) expect(existsSync(join(installed, path)), path).toBe(true)
  })

  it('has a changelog that names its version', () => {
    expect(readFileSync(join(installed, 'CHANGELOG.md'), 'utf8')).toContain(manifest().version)
  })

  it('exports the client and its errors alone, and no inner file', async () => {
    const program = `
      const entry = Object.keys(await import('@reelgate/sdk')).sort()
      const inner = await import('@reelgate/sdk/dist/reelgate.js').catch(({ code }) => code)
      const client = Object.keys(await import('./node_modules/@reelgate/sdk/dist/reelgate.js'))
      console.log(JSON.stringify({ entry, inner, client }))`
    writeFileSync(join(project, 'exports.mjs'), program)
    const { stdout } = await run(process.execPath, ['exports.mjs'], { cwd: project })
    expect(JSON.parse(stdout)).toEqual({
      entry: ['Reelgate', 'ReelgateConnectionError', 'ReelgateError', 'ReelgateSignatureError', 'sendFile', 'webhooks'],
      inner: 'ERR_PACKAGE_PATH_NOT_EXPORTED',
      client: ['Reelgate'],
    })
  })

  it('names nothing internal to the server: no setting, audit action, job or error of the dashboard', () => {
    const internal = [
      ...Object.keys(settings),
      ...[...Object.keys(ACTIONS), ...Object.keys(JOBS)].filter((name) => name.includes('.')),
      ...Object.entries(ERRORS).flatMap(([code, error]) => ('dashboard' in error ? [code] : [])),
      '#server',
    ]
    expect(internal.length).toBeGreaterThan(100)
    const words = new Set(Object.values(files(installed)).flatMap((text) => text.match(/#?[\w.-]+/g) ?? []))
    expect(internal.filter((name) => words.has(name))).toEqual([])
  })

  it('brings the command that the guide of webhooks shows', async () => {
    const { stdout } = await run('npx', ['--offline', 'reelgate', '--help'], { cwd: project, env })
    expect(stdout).toContain('listen --forward-to <url>')
  })

  it('does every operation against a live server', async () => {
    const owner = await makeAccount()
    const { value: apiKey } = await makeKey(owner, {
      scopes: ['video:read', 'video:write', 'billing:read', 'webhook:read', 'analytics:read'],
    })
    const videoId = await makeVideo(owner)
    const settings = JSON.stringify({ baseUrl: `${baseUrl}/`, apiKey })
    writeFileSync(join(project, 'app.mjs'), `const settings = ${settings}\nconst videoId = '${videoId}'\n${PROGRAM}`)
    const { stdout } = await run(process.execPath, ['app.mjs'], { cwd: project })
    expect(JSON.parse(stdout)).toEqual({
      listed: [videoId],
      paged: [[videoId], null],
      got: 'COMPLETED',
      waited: 'COMPLETED',
      same: true,
      rateLimit: { limit: 1000, remaining: 999, resetAt: expect.stringMatching(/T00:00:00\.000Z$/) },
      manifest: true,
      balance: ['0', 'credit', 'FREE'],
      usage: ['2026-01-31', 0],
      plays: [{ plays: 0, watchedSec: 0 }, [videoId], null],
      quality: ['2026-01-31', 31, []],
      event: ['wallet.refilled', 'wallet.refilled', true],
      openapi: '3.1.1',
      changed: ['Renamed', { course: 'physics' }, 'lesson-1'],
      stale: 'PRECONDITION_FAILED',
      captions: { language: 'de', label: 'Deutsch', cues: 1, generated: false, edited: false },
      poster: 'INVALID_REQUEST',
      deleted: [true, 'VIDEO_NOT_FOUND', 'Renamed'],
      refused: ['VIDEO_NOT_FOUND', 404, `${baseUrl}/docs/errors#VIDEO_NOT_FOUND`, true],
      bound: 'PLAYBACK_TOKEN_INVALID',
      keyless: 'API_KEY_REQUIRED',
      unreachable: ['ReelgateConnectionError', null],
    })
  })

  it('compiles every TypeScript sample of its README, the guide and the reference, under strict', async () => {
    const ofReadme = [...readFileSync(join(installed, 'README.md'), 'utf8').matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code)
    const ofReference = Object.keys(OPERATION_SAMPLES).map((operationId) => clientOf({ operationId }))
    const samples = [...ofReadme, ...Object.values(SAMPLES), ...ofReference]
    expect(samples.length).toBeGreaterThan(36)
    const names = samples.map((code, index) => {
      const name = `sample-${index}.ts`
      writeFileSync(join(project, name), `${code}\nexport {}\n`)
      return name
    })
    const typeRoots = [join(root, 'node_modules/@types')]
    expect(await compile('nodenext', names, { types: ['node'], typeRoots })).toBe('')
  })

  it.each(['nodenext', 'bundler'] as const)('types what is right and refuses what is wrong, resolved as %s', async (moduleResolution) => {
    expect(await compile(moduleResolution)).toBe('')
  })
})

/** Each `@ts-expect-error` is itself an error where the next line compiles. */
const TYPED = `
import { type ErrorCode, type Event, Reelgate, ReelgateError, type Video } from '@reelgate/sdk'
const reelgate = new Reelgate({ baseUrl: 'http://localhost' })
export const title = async (): Promise<string> => (await reelgate.getVideo('vid_x')).title
export const left = async (): Promise<number> => (await reelgate.createPlaybackToken('vid_x')).rateLimit.remaining
export const isDone = ({ status }: Video): boolean => status === 'COMPLETED'
export const codeOf = (error: unknown): ErrorCode | undefined => (error instanceof ReelgateError ? error.code : undefined)
export const reasonOf = (event: Event): string => (event.eventType === 'upload.failed' ? event.data.reason : '')
// @ts-expect-error only some events have a reason
export const always = (event: Event) => event.data.reason
// @ts-expect-error no such type
export const sampled = () => reelgate.createSampleEvent('video.finished')
// @ts-expect-error no such status
export const isOver = ({ status }: Video): boolean => status === 'DONE'
// @ts-expect-error a video has no URL
export const url = async () => (await reelgate.getVideo('vid_x')).url
// @ts-expect-error an id is a text
export const seventh = () => reelgate.getVideo(7)
// @ts-expect-error no such code
export const code: ErrorCode = 'TEAPOT'
`

const PROGRAM = `
import { Reelgate, ReelgateConnectionError, ReelgateError } from '@reelgate/sdk'
const reelgate = new Reelgate(settings)
const caught = (promise) => promise.then(() => undefined, (error) => error)
const { videos, nextCursor } = await reelgate.listVideoPage({ limit: 10 })
const first = await reelgate.createPlaybackToken(videoId, { idempotencyKey: 'once' })
const again = await reelgate.createPlaybackToken(videoId, { idempotencyKey: 'once' })
const refusal = await caught(reelgate.getVideo('vid_doesnotexist0000000000'))
const bound = await caught(reelgate.getPlaybackManifest(first.token, { videoId: 'vid_another' }))
const keyless = await caught(new Reelgate({ baseUrl: settings.baseUrl }).listVideos())
const unreachable = await caught(new Reelgate({ baseUrl: 'http://127.0.0.1:1' }).listVideos())
const { position: here } = await reelgate.listEvents()
const sample = await reelgate.createSampleEvent('wallet.refilled')
const { events } = await reelgate.listEvents({ cursor: here, wait: 20 })
const { etag } = await reelgate.getVideoVersion(videoId)
const renamed = await reelgate.updateVideo(videoId, { title: 'Renamed', metadata: { course: 'physics' }, externalId: 'lesson-1' }, { ifMatch: etag })
const stale = await caught(reelgate.updateVideo(videoId, { title: 'Late' }, { ifMatch: etag }))
const expanded = await reelgate.getVideo(videoId, { expand: ['metadata'] })
const captions = await reelgate.putCaptions(videoId, 'de', 'WEBVTT\\n\\n00:00.000 --> 00:01.000\\nGuten Morgen\\n')
await reelgate.deleteCaptions(videoId, 'de')
const poster = await caught(reelgate.putPoster(videoId, new TextEncoder().encode('no picture')))
const result = {
  event: [sample.eventType, events[0].eventType, events[0].eventId === sample.eventId],
  listed: (await reelgate.listVideos()).map(({ id }) => id),
  paged: [videos.map(({ id }) => id), nextCursor],
  got: (await reelgate.getVideo(videoId)).status,
  waited: (await reelgate.waitForVideo(videoId)).status,
  same: first.token === again.token,
  rateLimit: again.rateLimit,
  manifest: (await reelgate.getPlaybackManifest(first.token, { videoId })).masterPlaylistUrl.endsWith('.m3u8'),
  balance: (({ balance, unit, tier }) => [balance, unit, tier])(await reelgate.getBalance()),
  usage: (({ to, days }) => [to, days.length])(await reelgate.getUsage({ from: '2026-01-01', to: '2026-01-31' })),
  plays: (({ totals, groups, nextCursor }) => [totals, groups.map(({ value }) => value), nextCursor])(await reelgate.analytics.plays({ groupBy: 'video' })),
  quality: (({ to, groups, errorKinds }) => [to, groups.length, errorKinds])(await reelgate.analytics.quality({ from: '2026-01-01', to: '2026-01-31' })),
  openapi: (await reelgate.getDescription()).openapi,
  refused: [refusal.code, refusal.status, refusal.docUrl, refusal instanceof ReelgateError && refusal.requestId.startsWith('req_')],
  bound: bound.code,
  keyless: keyless.code,
  unreachable: [unreachable instanceof ReelgateConnectionError && unreachable.name, unreachable.status ?? null],
  changed: [renamed.title, expanded.metadata, expanded.externalId],
  stale: stale.code,
  captions,
  poster: poster.code,
}
const { deleted } = await reelgate.deleteVideo(videoId)
const gone = await caught(reelgate.getVideo(videoId))
const { title } = await reelgate.restoreVideo(videoId)
console.log(JSON.stringify({ ...result, deleted: [deleted, gone.code, title] }))
`
