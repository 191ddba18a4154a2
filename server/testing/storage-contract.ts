import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ByteRange, Storage } from '../platform/storage/storage-port.ts'

/** Tests the behavior that every implementation of the storage port must have. `make` returns an empty one. */
export function storageContract(name: string, make: (scratch: string) => Promise<Storage> | Storage): void {
  describe(`${name} (storage contract)`, () => {
    let scratch: string
    let store: Storage
    beforeAll(async () => {
      scratch = await mkdtemp(join(tmpdir(), 'reelgate-storage-'))
      store = await make(scratch)
    })
    afterAll(() => rm(scratch, { recursive: true, force: true }))

    const content = async (key: string, range?: ByteRange) => {
      const parts: Buffer[] = []
      for await (const part of store.read(key, range)) parts.push(Buffer.from(part))
      return Buffer.concat(parts)
    }
    const keys = async (prefix: string) => (await all(store.list(prefix))).sort()

    it('returns what was put, and its size', async () => {
      const bytes = randomBytes(1_000_000)
      await store.put('a/b/large.bin', bytes)
      expect(await store.stat('a/b/large.bin')).toEqual({ bytes: 1_000_000 })
      expect((await content('a/b/large.bin')).equals(bytes)).toBe(true)
    })

    it('stores an empty object', async () => {
      await store.put('a/empty', new Uint8Array())
      expect(await store.stat('a/empty')).toEqual({ bytes: 0 })
      expect(await content('a/empty')).toHaveLength(0)
    })

    it('reads ranges, both ends included', async () => {
      await store.put('a/digits', Buffer.from('0123456789'))
      expect(String(await content('a/digits', { start: 0, end: 0 }))).toBe('0')
      expect(String(await content('a/digits', { start: 3, end: 6 }))).toBe('3456')
      expect(String(await content('a/digits', { start: 9, end: 9 }))).toBe('9')
    })

    it('replaces an object', async () => {
      await store.put('a/twice', Buffer.from('first and longer'))
      await store.put('a/twice', Buffer.from('second'))
      expect(String(await content('a/twice'))).toBe('second')
    })

    it('stores the content of a file, which remains, and whose removal changes nothing', async () => {
      const path = join(scratch, 'upload')
      const bytes = randomBytes(300_000)
      await writeFile(path, bytes)
      await store.putFile('sources/vid_1', path)
      await store.putFile('sources/vid_1', path)
      expect((await readFile(path)).equals(bytes)).toBe(true)
      await rm(path)
      expect((await content('sources/vid_1')).equals(bytes)).toBe(true)
    })

    it('never shows a partial object while it is replaced', async () => {
      const versions = [1, 2].map((fill) => Buffer.alloc(2_000_000, fill))
      const hashes = new Set(versions.map((version) => createHash('sha256').update(version).digest('hex')))
      await store.put('a/swapped', versions[0] as Buffer)
      const writing = (async () => {
        for (let round = 0; round < 20; round++) await store.put('a/swapped', versions[round % 2] as Buffer)
      })()
      const reading = Array.from({ length: 20 }, async () =>
        createHash('sha256')
          .update(await content('a/swapped'))
          .digest('hex'),
      )
      for (const hash of await Promise.all(reading)) expect(hashes).toContain(hash)
      await writing
    })

    it('returns undefined for the size of a missing object, and fails to read it', async () => {
      expect(await store.stat('no/such')).toBeUndefined()
      expect(await store.stat('a')).toBeUndefined()
      const missing = { name: 'StorageError', code: 'STORAGE_OBJECT_MISSING' }
      await expect(content('no/such')).rejects.toMatchObject(missing)
      await expect(content('no/such', { start: 1, end: 2 })).rejects.toMatchObject(missing)
      await expect(store.localFile('no/such')).rejects.toMatchObject(missing)
      await store.delete('no/such')
      await store.deletePrefix('no/such/')
      expect(await keys('no/such/')).toEqual([])
    })

    it('lists and deletes by prefix, and not keys that merely begin alike', async () => {
      for (const key of ['v/1/x', 'v/1/deep/y', 'v/10/x', 'v/2/x']) await store.put(key, Buffer.from(key))
      expect(await keys('v/1/')).toEqual(['v/1/deep/y', 'v/1/x'])
      const listed = await all(store.listSizes('v/1/'))
      expect(listed.sort((a, b) => a.bytes - b.bytes)).toEqual([
        { key: 'v/1/x', bytes: 5, storedAt: expect.any(Date) },
        { key: 'v/1/deep/y', bytes: 10, storedAt: expect.any(Date) },
      ])
      for (const { storedAt } of listed) expect(Math.abs(Date.now() - storedAt.getTime())).toBeLessThan(600_000)
      await store.deletePrefix('v/1/')
      expect(await keys('v/')).toEqual(['v/10/x', 'v/2/x'])
      await store.delete('v/2/x')
      expect(await keys('v/')).toEqual(['v/10/x'])
    })

    it('provides an object as a local file', async () => {
      await store.put('a/lent', Buffer.from('for a program'))
      const { path, release } = await store.localFile('a/lent')
      expect(await readFile(path, 'utf8')).toBe('for a program')
      await release()
      expect(String(await content('a/lent'))).toBe('for a program')
    })

    it('responds to its check', () => store.check())

    it.each(['', '/', '/a', 'a/', 'a//b', '..', 'a/../b', './a', '.hidden', 'a/.hidden', 'a\\b', 'a b', 'a\0b', 'ä', 'x'.repeat(513)])(
      'refuses the key %j',
      async (key) => {
        await expect((async () => store.put(key, Buffer.from('x')))()).rejects.toThrow('not a valid storage key')
        await expect(content(key)).rejects.toThrow('not a valid storage key')
        await expect((async () => store.stat(key))()).rejects.toThrow('not a valid storage key')
        await expect((async () => store.delete(key))()).rejects.toThrow('not a valid storage key')
        await expect((async () => store.deletePrefix(`${key}/`))()).rejects.toThrow('not a valid storage key')
      },
    )

    it('refuses a prefix with a special meaning', async () => {
      await expect((async () => store.deletePrefix('v'))()).rejects.toThrow('slash')
      await expect((async () => store.deletePrefix(''))()).rejects.toThrow('slash')
    })
  })
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}
