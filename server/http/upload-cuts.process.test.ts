import { createHash, randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { JOBS } from '../jobs.ts'
import { storageOfAll } from '../modules/identity/accounts/storage.ts'
import { db } from '../platform/database/database.ts'
import { startQueue, stopQueue } from '../platform/job-queue.ts'
import { storage } from '../platform/storage/storage.ts'
import { testDatabase } from '../testing/database.ts'
import { makeAccount } from '../testing/make.ts'
import { shortClip } from '../testing/media/media-files.ts'
import { rounds } from '../testing/media/rounds.ts'
import { recount } from '../testing/recount.ts'
import { startWorkerProcess } from '../testing/services/worker-process.ts'
import { cookieFor } from '../testing/sign-in.ts'

await testDatabase()
const CUTS = rounds(3, 50)
/** The server is killed and restarted once in this many cuts. */
const KILL_EVERY = rounds(2, 10)
let cookie: string

beforeAll(async () => {
  await startQueue(JOBS)
  cookie = await cookieFor(await makeAccount())
})
afterAll(stopQueue)

const headers = () => ({ 'Tus-Resumable': '1.0.0', Cookie: cookie })
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

/** Sends from `offset` on and cuts the connection after `bytes` bytes, or completes. Resolves with the new video's id at the end. */
function send(url: string, body: Buffer, offset: number, bytes: number): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const rest = body.subarray(offset)
    const fields = {
      ...headers(),
      'Upload-Offset': offset,
      'Content-Type': 'application/offset+octet-stream',
      'Content-Length': rest.length,
    }
    const req = request(url, { method: 'PATCH', headers: fields }, (res) => {
      res.resume()
      res.on('end', () =>
        res.statusCode === 204 ? resolve(res.headers['x-video-id'] as string) : reject(new Error(`answered ${res.statusCode}`)),
      )
    })
    const cut = bytes < rest.length
    req.on('error', (error) => (cut ? resolve(undefined) : reject(error)))
    if (cut) req.write(rest.subarray(0, bytes), () => req.destroy())
    else req.end(rest)
  })
}

it(
  `an upload whose connection is cut ${CUTS} times, and whose server is killed, arrives byte for byte`,
  async () => {
    // These tests read nothing after the video's index; the noise makes the file long enough for the cuts.
    const body = Buffer.concat([await readFile(await shortClip()), randomBytes(12_000_000)])
    let server = await startWorkerProcess('web')
    const pairs = Object.entries({ title: 'Cut', filename: 'cut.mp4', encrypted: 'false' })
    const metadata = pairs.map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`).join(',')
    const created = await fetch(`${server.url}/api/upload`, {
      method: 'POST',
      headers: { ...headers(), 'Upload-Length': String(body.length), 'Upload-Metadata': metadata },
    })
    expect(created.status).toBe(201)
    const path = new URL(created.headers.get('location') ?? '', server.url).pathname
    const offsetNow = async () => {
      // The cut request may hold the upload for a moment longer.
      for (;;) {
        const response = await fetch(new URL(path, server.url), { method: 'HEAD', headers: headers() })
        if (response.status === 200) return Number(response.headers.get('upload-offset'))
        expect(response.status).toBe(423)
      }
    }
    let offset = 0
    for (let cut = 1; cut <= CUTS; cut++) {
      // Some cut at once, some after a part of the remainder, so that something remains for every cut.
      const bytes = Math.floor(Math.random() ** 2 * ((body.length - offset) / 4))
      await send(new URL(path, server.url).href, body, offset, bytes)
      if (cut % KILL_EVERY === 0) {
        await server.kill()
        server = await startWorkerProcess('web')
      }
      const now = await offsetNow()
      expect(now).toBeGreaterThanOrEqual(offset)
      offset = now
    }
    const videoId = await send(new URL(path, server.url).href, body, offset, Number.POSITIVE_INFINITY)
    const video = await db().media.findUniqueOrThrow({ where: { id: videoId ?? '' } })
    expect([video.status, Number(video.sourceBytes), video.encrypted]).toEqual(['PENDING', body.length, false])
    const { path: stored } = await storage().localFile(video.sourceKey)
    expect(sha256(await readFile(stored))).toBe(sha256(body))
    // A killed server counts nothing twice and leaves nothing behind.
    expect(await storageOfAll()).toMatchObject({ ...(await recount()), uploads: 0, videos: 1, originalBytes: body.length })
    await server.kill()
  },
  rounds(300_000, 1_200_000),
)
