import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { provide } from '../../testing/settings.ts'
import { services } from '../container.ts'
import { fetchedFolder, fetchOnce } from './fetched-files.ts'
import type { RemoteObject } from './s3.ts'

let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'reelgate-fetched-'))
  provide({ DATA_DIR: dataDir, BASE_URL: 'http://localhost', STORAGE_RESERVE_BYTES: '0' })
  services().fetchedBytes = 2_500
})
afterEach(() => rm(dataDir, { recursive: true, force: true }))

const CONTENT = randomBytes(1_000)
const object = (key: string, more: Partial<RemoteObject> = {}): RemoteObject => {
  const hex = createHash('sha256').update(CONTENT).digest('hex')
  return { key, bytes: CONTENT.length, etag: '"e"', hash: { algorithm: 'sha256', hex }, ...more }
}
let reads = 0
async function* read(): AsyncGenerator<Uint8Array> {
  reads++
  yield CONTENT.subarray(0, 400)
  yield CONTENT.subarray(400)
}
const fetch = (key: string, more?: Partial<RemoteObject>, from = read) => fetchOnce(object(key, more), from, undefined)
const names = () => readdir(fetchedFolder())
/** As if a process had used it that ended a minute ago. */
const abandon = async (path: string) => utimes(path, new Date(Date.now() - 60_000), new Date(Date.now() - 60_000))

it('fetches an object once for all that need it, and again when it was replaced', async () => {
  const before = reads
  const both = await Promise.all([fetch('a'), fetch('a')])
  const later = await fetch('a')
  expect(reads).toBe(before + 1)
  for (const { path } of [...both, later]) expect((await readFile(path)).equals(CONTENT)).toBe(true)
  const replaced = await fetch('a', { etag: '"f"' })
  expect(replaced.path).not.toBe(later.path)
  for (const file of [...both, later, replaced]) await file.release()
})

it('refuses content of another size or hash, and leaves nothing behind', async () => {
  const other = { algorithm: 'md5' as const, hex: '0'.repeat(32) }
  for (const more of [{ bytes: 999 }, { bytes: 1_001 }, { hash: other }])
    await expect(fetch('a', more)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield CONTENT.subarray(0, 10)
    throw new Error('cut')
  }
  await expect(fetch('a', {}, broken)).rejects.toThrow('cut')
  expect(await names()).toEqual([])
})

it('fetches again what a process that was killed left half written, or what is not complete', async () => {
  const first = await fetch('a')
  await first.release()
  await writeFile(first.path, 'short')
  const again = await fetch('a')
  expect((await readFile(again.path)).equals(CONTENT)).toBe(true)
  await again.release()
  await rm(again.path)
  await writeFile(`${again.path}.part`, 'half')
  await abandon(`${again.path}.part`)
  const last = await fetch('a')
  expect((await readFile(last.path)).equals(CONTENT)).toBe(true)
  expect(await names()).toHaveLength(1)
  await last.release()
})

it('waits for another process that is fetching it, and ends with its signal', async () => {
  const { path, release } = await fetch('a')
  await release()
  await rm(path)
  await writeFile(`${path}.part`, 'of another process')
  const waiting = new AbortController()
  const next = fetchOnce(object('a'), read, waiting.signal)
  waiting.abort(new Error('stopped'))
  await expect(next).rejects.toThrow()
  expect(await readFile(`${path}.part`, 'utf8')).toBe('of another process')
})

it('keeps the most recently used files up to its limit, and those in use beyond it', async () => {
  const used = await Promise.all(['a', 'b', 'c', 'd'].map((key) => fetch(key)))
  expect(await names()).toHaveLength(4)
  const [a, b, c, d] = used as [(typeof used)[0], (typeof used)[0], (typeof used)[0], (typeof used)[0]]
  await a.release()
  await c.release()
  // 4,000 bytes of which b and d are in use: both released files go.
  expect((await names()).length).toBe(2)
  for (const { path } of [b, d]) expect(existsSync(path)).toBe(true)
  await b.release()
  await d.release()
  expect(await names()).toHaveLength(2)
  services().fetchedBytes = 0
  const last = await fetch('e')
  await last.release()
  expect(await names()).toEqual([])
})

it('keeps a file while one of its holders uses it', async () => {
  services().fetchedBytes = 0
  const [first, second] = [await fetch('a'), await fetch('a')]
  await first.release()
  expect(existsSync(second.path)).toBe(true)
  await second.release()
  expect(await names()).toEqual([])
})

it('does not use the space of the reserve', async () => {
  provide({ STORAGE_RESERVE_BYTES: String(Number.MAX_SAFE_INTEGER) })
  await mkdir(fetchedFolder(), { recursive: true })
  await expect(fetch('a')).rejects.toMatchObject({ code: 'ENOSPC' })
  expect(await names()).toEqual([])
})
