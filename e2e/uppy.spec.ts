import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, type Page, test } from '@playwright/test'
import type { Uppy } from '@uppy/core'
import { rolldown } from 'rolldown'
import { Dashboard } from '../scripts/demo-dashboard.ts'
import { baseOf, newEmail, PASSWORD } from './person.ts'

const MB = 1024 ** 2
const BYTES = 20 * MB

/** Serves a page of another origin with the program of the guide; returns its origin. */
async function siteWithUppy(): Promise<{ origin: string; close(): void }> {
  const input = join(import.meta.dirname, '../docs/snippets/upload-with-uppy.js')
  const bundle = await rolldown({ input, platform: 'browser', logLevel: 'silent' })
  const { output } = await bundle.generate({ format: 'iife', name: 'guide' })
  await bundle.close()
  const server = createServer((req, res) => {
    if (req.url === '/guide.js') return void res.writeHead(200, { 'Content-Type': 'text/javascript' }).end(output[0].code)
    res.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html><title>Course</title><script src="/guide.js"></script>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { origin: `http://127.0.0.1:${port}`, close: () => void server.close() }
}

/** Sends a file of the page by Uppy, and pauses once `until` bytes are sent. Resolves with the number of failed files. */
const send = (page: Page, uploadUrl: string, until = Number.POSITIVE_INFINITY): Promise<{ failed: number; paused: boolean }> =>
  page.evaluate(
    ({ uploadUrl, until, bytes }) =>
      new Promise<{ failed: number; paused: boolean }>((resolve) => {
        const content = new Uint8Array(bytes)
        // It begins like Matroska.
        content.set([0x1a, 0x45, 0xdf, 0xa3])
        const { guide } = window as unknown as { guide: { makeUploader(url: string): Uppy } }
        const uppy = guide.makeUploader(uploadUrl)
        uppy.addFile({ name: 'lesson.mkv', type: 'video/x-matroska', data: new File([content], 'lesson.mkv', { lastModified: 0 }) })
        uppy.on('upload-progress', (_file, { bytesUploaded }) => {
          if (Number(bytesUploaded) < until) return
          uppy.pauseAll()
          resolve({ failed: 0, paused: true })
        })
        uppy.on('complete', ({ failed }) => resolve({ failed: failed?.length ?? 0, paused: false }))
        void uppy.upload()
      }),
    { uploadUrl, until, bytes: BYTES },
  )

test('a page of the allowed origin uploads by Uppy, is reloaded, loses a connection, and goes on; a page of another origin is refused', async ({
  page,
}) => {
  const owner = await Dashboard.signUp(baseOf(), newEmail(), PASSWORD)
  const { value: key } = await owner.mutate<{ value: string }>('key.create', {
    name: 'Uploads',
    environment: 'LIVE',
    scopes: ['video:write'],
  })
  const call = async (path: string, body?: unknown) => {
    const headers = { 'x-service-key': key, 'content-type': 'application/json' }
    const response = await fetch(baseOf() + path, { method: body ? 'POST' : 'GET', headers, body: body ? JSON.stringify(body) : undefined })
    return ((await response.json()) as { data: Record<string, string> }).data
  }
  const [site, stranger] = [await siteWithUppy(), await siteWithUppy()]
  try {
    const { uploadId, uploadUrl = '' } = await call('/v1/upload', { allowedOrigin: site.origin, maxBytes: BYTES })
    await page.goto(stranger.origin)
    // The browser hides the refusal from Uppy, which repeats the request.
    const refused = page.waitForEvent('requestfailed', (request) => request.url().startsWith(uploadUrl))
    void send(page, uploadUrl).catch(() => {})
    await refused
    expect(await call(`/v1/upload/${uploadId}`)).toMatchObject({ status: 'waiting', bytesReceived: 0 })

    await page.goto(site.origin)
    expect(await send(page, uploadUrl, 8 * MB)).toEqual({ failed: 0, paused: true })
    // Uppy counts bytes as it sends them; the last of them are lost when it pauses.
    await expect.poll(async () => (await call(`/v1/upload/${uploadId}`)).bytesReceived).toBeGreaterThan(4 * MB)
    await page.reload()
    const { bytesReceived: kept } = await call(`/v1/upload/${uploadId}`)
    const offsets: number[] = []
    let cut = false
    await page.route(`${uploadUrl}**`, async (route) => {
      const request = route.request()
      if (request.method() !== 'PATCH') return route.continue()
      offsets.push(Number(await request.headerValue('upload-offset')))
      if (cut) return route.continue()
      cut = true
      await route.abort('connectionreset')
    })
    expect(await send(page, uploadUrl)).toEqual({ failed: 0, paused: false })
    // No byte that the service had was sent again.
    expect(offsets.length).toBeGreaterThan(1)
    expect(Math.min(...offsets)).toBeGreaterThanOrEqual(Number(kept))
    expect(await call(`/v1/upload/${uploadId}`)).toMatchObject({ status: 'completed', bytesReceived: BYTES })
  } finally {
    site.close()
    stranger.close()
  }
})
