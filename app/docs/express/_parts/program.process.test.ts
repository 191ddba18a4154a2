import { spawn } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { signatureHeader } from '#server/modules/webhooks/delivery/signature'
import { db } from '#server/platform/database/database'
import { testDatabase } from '#server/testing/database'
import { startHttpServer } from '#server/testing/http-server'
import { makeAccount, makeKey } from '#server/testing/make'
import { storeVideo } from '#server/testing/media/stored-video'
import { compileSdk } from '../../../../scripts/build-sdk.ts'

await testDatabase()
const baseUrl = await startHttpServer()
const folder = mkdtempSync(join(tmpdir(), 'reelgate-express-'))
const SECRET = 'whsec_of-the-test'
let site: string
let lesson: string
let child: ReturnType<typeof spawn>

beforeAll(async () => {
  const owner = await makeAccount()
  const spec = { seconds: 2, rate: 5 }
  lesson = (await storeVideo(owner, spec)).id
  const other = (await storeVideo(owner, spec)).id
  await db().video.update({ where: { id: lesson }, data: { title: 'Waves & <light>', metadata: { course: 'physics' } } })
  await db().video.update({ where: { id: other }, data: { title: 'Cells', metadata: { course: 'biology' } } })
  // The packages as npm installs them.
  const packages = join(folder, 'node_modules')
  mkdirSync(join(packages, '@reelgate/sdk'), { recursive: true })
  await compileSdk(join(packages, '@reelgate/sdk'))
  symlinkSync(join(process.cwd(), 'node_modules/express'), join(packages, 'express'))
  copyFileSync(join(process.cwd(), 'docs/snippets/course-site.mjs'), join(folder, 'course-site.mjs'))
  const environment = {
    ...{ REELGATE_URL: baseUrl, REELGATE_API_KEY: (await makeKey(owner, { scopes: ['video:read'] })).value, PORT: '0' },
    ...{ WEBHOOK_SECRET: SECRET, SESSION_SECRET: 'a session secret', STUDENT_PASSWORD: 'correct horse' },
  }
  child = spawn(process.execPath, ['course-site.mjs'], {
    cwd: folder,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  site = await new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', (line: Buffer) => resolve(line.toString().trim()))
    child.on('exit', (code) => reject(new Error(`course-site.mjs ended with ${code}.`)))
  })
})
afterAll(() => {
  child?.kill()
  rmSync(folder, { recursive: true })
})

const ask = (path: string, { cookie, ...init }: RequestInit & { cookie?: string | undefined } = {}) =>
  fetch(site + path, { redirect: 'manual', ...init, headers: { ...init.headers, ...(cookie && { cookie }) } })

async function signIn(password: string) {
  const response = await ask('/login', { method: 'POST', body: new URLSearchParams({ email: 'ada@example.com', password }) })
  return { status: response.status, cookie: response.headers.get('set-cookie')?.split(';')[0] }
}

it('shows students the lessons of their course with posters, and plays only these', async () => {
  expect((await ask('/')).headers.get('location')).toBe('/login')
  expect((await ask(`/token/${lesson}`, { method: 'POST' })).status).toBe(401)
  expect(await signIn('wrong')).toEqual({ status: 403, cookie: undefined })
  const { status, cookie } = await signIn('correct horse')
  expect(status).toBe(303)
  const list = await (await ask('/', { cookie })).text()
  expect(list).toContain('Waves &#38; &#60;light&#62;')
  expect(list).not.toContain('Cells')
  const forged = `${cookie?.slice(0, -1)}${cookie?.endsWith('A') ? 'B' : 'A'}`
  expect((await ask('/', { cookie: forged })).status).toBe(303)

  const watch = await (await ask(`/watch/${lesson}`, { cookie })).text()
  const [, first = ''] = /token="([^"]+)"/.exec(watch) ?? []
  const { token } = (await (await ask(`/token/${lesson}`, { method: 'POST', cookie })).json()) as { token: string }
  for (const one of [first, token]) {
    const manifest = await fetch(`${baseUrl}/v1/video/playback/manifest/${one}?videoId=${lesson}`)
    expect(manifest.status).toBe(200)
  }
  expect((await ask('/watch/vid_of_another', { cookie })).status).toBe(404)
})

it('accepts webhooks whose signature is right, and shows a new lesson at once', async () => {
  const { cookie } = await signIn('correct horse')
  await ask('/', { cookie })
  await db().video.update({ where: { id: lesson }, data: { title: 'Waves' } })
  const body = JSON.stringify({ eventId: 'evt_1', eventType: 'video.processing.completed', data: { videoId: lesson } })
  const send = (secret: string) =>
    ask('/hooks', {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'x-service-signature': signatureHeader([secret], Math.floor(Date.now() / 1_000), body),
      },
    })
  expect((await send('whsec_wrong')).status).toBe(400)
  expect(await (await ask('/', { cookie })).text()).toContain('Waves &#38;')
  expect((await send(SECRET)).status).toBe(204)
  expect(await (await ask('/', { cookie })).text()).toContain(' Waves</a>')
})
