import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { closeSync, ftruncateSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { Upload, type UploadOptions } from 'tus-js-client'
import { beforeAll, describe, expect, it } from 'vitest'
import { db } from '../platform/database/database.ts'
import { storage } from '../platform/storage/storage.ts'
import { testDatabase } from '../testing/database.ts'
import { uploadCaller } from '../testing/direct-upload.ts'
import { rounds } from '../testing/media/rounds.ts'
import { startWebProcess, type WebProcess } from '../testing/services/web-process.ts'
import { provide } from '../testing/settings.ts'
import { likeVideo, sha256 } from '../testing/tus-client.ts'

const { dataDir } = await testDatabase()
const MB = 1024 ** 2
let server: WebProcess
let caller: Awaited<ReturnType<typeof uploadCaller>>

beforeAll(async () => {
  provide({ STORAGE_RESERVE_BYTES: '0', ACCOUNT_STORAGE_BYTES: '20000000000' })
  server = await startWebProcess({ settings: { STORAGE_RESERVE_BYTES: '0', ACCOUNT_STORAGE_BYTES: '20000000000' } })
  caller = await uploadCaller(server.url)
})

/** Creates an upload; its URL names the address of the server process, which is not its BASE_URL. */
async function create(input: unknown) {
  const { uploadId, uploadUrl } = await caller.create(input)
  return { uploadId, uploadUrl: new URL(new URL(uploadUrl).pathname, server.url).href }
}

const stored = async (uploadId: string) => {
  const { status, videoId } = await caller.get(uploadId)
  expect(status).toBe('completed')
  const { sourceKey } = await db().media.findUniqueOrThrow({ where: { id: videoId } })
  return sha256(storage().read(sourceKey))
}

describe('tus-js-client', () => {
  const file = likeVideo(6 * MB)

  /** Sends the file and aborts once `until` bytes are acknowledged. Resolves with the first offset that it reports. */
  function send(options: UploadOptions, until = Number.POSITIVE_INFINITY): Promise<number> {
    return new Promise((resolve, reject) => {
      let begins: number | undefined
      const upload = new Upload(file, {
        chunkSize: MB,
        retryDelays: null,
        metadata: { filename: 'clip.mkv' },
        ...options,
        onProgress: (sent) => {
          begins ??= sent
        },
        onChunkComplete: (_size, accepted) => {
          if (accepted >= until && accepted < file.length) void upload.abort().then(() => resolve(begins as number), reject)
        },
        onSuccess: () => resolve(begins as number),
        onError: reject,
      })
      upload.start()
    })
  }

  it('with the URL as its endpoint is interrupted, and continues where it was', async () => {
    const { uploadId, uploadUrl } = await create({ maxBytes: 8 * MB })
    await send({ endpoint: uploadUrl }, 3 * MB)
    expect(await send({ uploadUrl })).toBeGreaterThanOrEqual(3 * MB)
    expect(await stored(uploadId)).toBe(await sha256([file]))
  })

  it('with the URL as that of an existing upload announces the size with its last bytes', async () => {
    const { uploadId, uploadUrl } = await create({ maxBytes: 8 * MB })
    await send({ uploadUrl, uploadLengthDeferred: true }, 2 * MB)
    expect(await caller.get(uploadId)).toMatchObject({ status: 'uploading' })
    expect(await send({ uploadUrl, uploadLengthDeferred: true })).toBeGreaterThanOrEqual(2 * MB)
    expect(await stored(uploadId)).toBe(await sha256([file]))
  })

  it('continues after the server was killed', async () => {
    const killed = await startWebProcess({ settings: { STORAGE_RESERVE_BYTES: '0' } })
    const { uploadId, uploadUrl } = await create({ maxBytes: 8 * MB })
    const there = new URL(new URL(uploadUrl).pathname, killed.url).href
    await send({ uploadUrl: there, uploadLengthDeferred: true }, 3 * MB)
    await killed.kill()
    expect(await send({ uploadUrl, uploadLengthDeferred: true })).toBeGreaterThanOrEqual(3 * MB)
    expect(await stored(uploadId)).toBe(await sha256([file]))
  })
})

describe('curl -T', () => {
  const BYTES = rounds(384, 1_024) * MB
  /** Bytes by which the memory of the process may grow: a buffer of the file would be twice as large. A busy machine collects garbage late. */
  const GROWTH = 192 * MB

  /** Runs curl with `args`; returns the body of the response. */
  function curl(args: string[], input?: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const child = spawn('curl', ['-sS', ...args], { stdio: [input ? openSync(input, 'r') : 'ignore', 'pipe', 'inherit'] })
      let text = ''
      child.stdout?.on('data', (part) => {
        text += part
      })
      child.on('error', reject)
      child.on('exit', (code) => (code === 0 ? resolve(text) : reject(new Error(`curl ended with ${code}`))))
    })
  }

  /** Writes a file that begins like Matroska and takes no space on the disk; returns its SHA-256. */
  function sparseFile(path: string): string {
    const file = openSync(path, 'w')
    writeSync(file, Buffer.from('1a45dfa3', 'hex'))
    ftruncateSync(file, BYTES)
    closeSync(file)
    const hash = createHash('sha256').update(Buffer.from('1a45dfa3', 'hex'))
    const zeros = Buffer.alloc(MB)
    hash.update(zeros.subarray(4))
    for (let at = MB; at < BYTES; at += MB) hash.update(zeros)
    return hash.digest('hex')
  }

  const memory = (name: 'VmHWM' | 'VmRSS') => {
    const [, kilobytes] = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${server.pid}/status`, 'utf8')) ?? []
    return Number(kilobytes) * 1_024
  }

  it.each<[string, (path: string, url: string) => Promise<string>]>([
    ['a file', (path, url) => curl(['-T', path, url])],
    ['a pipe, without a length', (path, url) => curl(['-T', '-', url], path)],
  ])(`sends %s of ${BYTES / MB} MB in flat memory`, { tags: ['deep'], timeout: 300_000 }, async (_name, send) => {
    const path = join(dataDir, 'large.mkv')
    const sum = sparseFile(path)
    const { uploadId, uploadUrl } = await create({ title: 'Large', maxBytes: BYTES })
    // Resets the peak of the process.
    writeFileSync(`/proc/${server.pid}/clear_refs`, '5')
    const before = memory('VmRSS')
    const { data } = JSON.parse(await send(path, uploadUrl))
    expect(data).toMatchObject({ uploadId, status: 'completed', bytesReceived: BYTES })
    const growth = memory('VmHWM') - before
    console.info(`PUT of ${BYTES / MB} MB: memory grew by ${Math.round(growth / MB)} MB`)
    expect(growth).toBeLessThan(GROWTH)
    expect(await stored(uploadId)).toBe(sum)
  })

  it('prints the reason of a refusal', async () => {
    const path = join(dataDir, 'large.mkv')
    sparseFile(path)
    const { uploadUrl } = await create({ maxBytes: MB })
    const { error } = JSON.parse(await curl(['-T', path, uploadUrl]))
    expect(error).toMatchObject({ code: 'PAYLOAD_TOO_LARGE', details: { maxBytes: MB } })
    expect(JSON.parse(await curl(['-T', path, '-H', 'Origin: https://evil.example', uploadUrl])).error.code).toBe('ORIGIN_NOT_ALLOWED')
  })

  it('prints it also while the body is being sent', async () => {
    const path = join(dataDir, 'large.mkv')
    sparseFile(path)
    const { uploadUrl } = await create({ maxBytes: MB })
    // Without the header, curl sends the body at once.
    const put = () => curl(['-T', path, '-H', 'Expect:', uploadUrl])
    for (let round = 0; round < 20; round++) expect(JSON.parse(await put()).error.code).toBe('PAYLOAD_TOO_LARGE')
  })
})
