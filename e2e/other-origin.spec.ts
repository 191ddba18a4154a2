import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { expect, type Page, test } from '@playwright/test'
import { Dashboard } from '../scripts/demo-dashboard.ts'
import { baseOf, newEmail, PASSWORD } from './person.ts'

const TUS = readFileSync(createRequire(import.meta.url).resolve('tus-js-client/dist/tus.min.js'))

/** Serves a page that has tus-js-client, as a site of another origin; returns its origin. */
async function otherSite(): Promise<{ origin: string; close(): void }> {
  const server = createServer((req, res) => {
    if (req.url === '/tus.js') return void res.writeHead(200, { 'Content-Type': 'text/javascript' }).end(TUS)
    res.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html><title>Course</title><script src="/tus.js"></script>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { origin: `http://127.0.0.1:${port}`, close: () => void server.close() }
}

const MB = 1024 ** 2
const BYTES = 4 * MB

interface Outcome {
  sent: number[]
  error?: string
  videoId?: string | undefined
}

/** Sends a file of the page by tus, and stops once `until` bytes are accepted. Resolves with the bytes that each response accepted. */
function send(page: Page, uploadUrl: string, until = Number.POSITIVE_INFINITY): Promise<Outcome> {
  return page.evaluate(
    ({ uploadUrl, until, bytes, chunkSize }) =>
      new Promise<Outcome>((resolve) => {
        const sent: number[] = []
        let videoId: string | undefined
        const content = new Uint8Array(bytes)
        // It begins like Matroska.
        content.set([0x1a, 0x45, 0xdf, 0xa3])
        const { tus } = window as unknown as { tus: typeof import('tus-js-client') }
        const upload = new tus.Upload(new File([content], 'lesson.mkv'), {
          // A page that was reloaded has stored the URL alone.
          ...(sessionStorage.getItem('begun') ? { uploadUrl } : { endpoint: uploadUrl }),
          chunkSize,
          retryDelays: null,
          metadata: { filename: 'lesson.mkv' },
          onAfterResponse: (_request, response) => {
            videoId = response.getHeader('X-Video-Id') ?? videoId
          },
          onChunkComplete: (_size, accepted) => {
            sent.push(accepted)
            sessionStorage.setItem('begun', 'yes')
            if (accepted >= until && accepted < bytes) void upload.abort().then(() => resolve({ sent }))
          },
          onSuccess: () => resolve({ sent, videoId }),
          onError: (error) => resolve({ sent, error: String(error) }),
        })
        upload.start()
      }),
    { uploadUrl, until, bytes: BYTES, chunkSize: MB },
  )
}

test('a page of the allowed origin uploads by tus-js-client, is reloaded, and goes on; a page of another origin is refused', async ({
  page,
}) => {
  const owner = await Dashboard.signUp(baseOf(), newEmail(), PASSWORD)
  const input = { name: 'Uploads', environment: 'LIVE', scopes: ['video:write'] }
  const { value: key } = await owner.mutate<{ value: string }>('key.create', input)
  const [site, stranger] = [await otherSite(), await otherSite()]
  const call = async (path: string, body?: unknown) => {
    const headers = { 'x-service-key': key, 'content-type': 'application/json' }
    const response = await fetch(baseOf() + path, {
      method: body ? 'POST' : 'GET',
      headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    return ((await response.json()) as { data: Record<string, string> }).data
  }
  try {
    const { uploadId, uploadUrl = '' } = await call('/v1/upload', { allowedOrigin: site.origin, maxBytes: BYTES })

    await page.goto(stranger.origin)
    const refused = await send(page, uploadUrl)
    expect(refused.error).toBeTruthy()
    expect(await call(`/v1/upload/${uploadId}`)).toMatchObject({ status: 'waiting', bytesReceived: 0 })

    await page.goto(site.origin)
    const first = await send(page, uploadUrl, 2 * MB)
    expect(first.error).toBeUndefined()
    await page.reload()
    const second = await send(page, uploadUrl)
    expect(second.error).toBeUndefined()
    // It went on after the accepted bytes.
    expect(second.sent[0]).toBeGreaterThan(2 * MB)
    expect(second.sent.at(-1)).toBe(BYTES)
    expect(await call(`/v1/upload/${uploadId}`)).toMatchObject({ status: 'completed', bytesReceived: BYTES, videoId: second.videoId })
  } finally {
    site.close()
    stranger.close()
  }
})

test('the service has its client as a package, and its changelog under a short address', async ({ page, request }) => {
  const response = await request.get('/sdk.tgz')
  expect(response.status()).toBe(200)
  expect(response.url()).toMatch(/\/reelgate-sdk-\d+\.\d+\.\d+\.tgz$/)
  // The signature of gzip.
  expect([...(await response.body()).subarray(0, 2)]).toEqual([0x1f, 0x8b])
  await page.goto('/changelog')
  await expect(page.getByRole('heading', { level: 1, name: 'Changelog' })).toBeVisible()
  await expect(page.getByText('POST /v1/upload').first()).toBeVisible()
})
