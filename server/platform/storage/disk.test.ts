import { existsSync, readdirSync } from 'node:fs'
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { storageContract } from '../../testing/storage-contract.ts'
import { diskStorage } from './disk.ts'

storageContract('the disk', (scratch) => diskStorage(join(scratch, 'media')))

it('removes only what interrupted writes left behind', async () => {
  const root = await mkdtemp(join(tmpdir(), 'reelgate-disk-'))
  const store = diskStorage(root)
  await store.sweep(1_000)
  await store.put('kept', Buffer.from('kept'))
  await mkdir(join(root, '.tmp'), { recursive: true })
  for (const name of ['old', 'young']) await writeFile(join(root, '.tmp', name), 'half')
  await utimes(join(root, '.tmp/old'), 1, 1)
  await store.sweep(60_000)
  expect(readdirSync(join(root, '.tmp'))).toEqual(['young'])
  expect(existsSync(join(root, 'kept'))).toBe(true)
  await rm(root, { recursive: true })
})

it('leaves nothing behind when a write fails', async () => {
  const root = await mkdtemp(join(tmpdir(), 'reelgate-disk-'))
  const store = diskStorage(root)
  await store.put('taken', Buffer.from('a file'))
  await expect(store.put('taken/below', Buffer.from('x'))).rejects.toThrow()
  await expect(store.putFile('absent', join(root, 'no-such-file'))).rejects.toThrow()
  expect(readdirSync(join(root, '.tmp'))).toEqual([])
  await rm(root, { recursive: true })
})

it('stores what several writers begin at once in an empty folder', async () => {
  const root = await mkdtemp(join(tmpdir(), 'reelgate-disk-'))
  for (let round = 0; round < 200; round++) {
    const store = diskStorage(join(root, String(round)))
    await Promise.all(['a/1', 'a/2', 'b/c/1', '1'].map((key) => store.put(key, Buffer.from(key))))
  }
  await rm(root, { recursive: true })
})

it('stores a file whose folder is removed meanwhile', async () => {
  const root = await mkdtemp(join(tmpdir(), 'reelgate-disk-'))
  const store = diskStorage(root)
  const storeSome = async (from: number) => {
    for (let i = from; i < from + 12; i++) await store.put(`segments/a/${i}`, Buffer.from('x'))
  }
  for (let round = 0; round < 5; round++) {
    await storeSome(0)
    await Promise.all([...[100, 200, 300, 400].map(storeSome), store.deletePrefix('segments/a/')])
  }
  await rm(root, { recursive: true })
})

it('lists folder by folder: what was removed since the first key is not held in memory', async () => {
  const root = await mkdtemp(join(tmpdir(), 'reelgate-disk-'))
  const store = diskStorage(root)
  for (const key of ['a/1', 'b/1', 'c/1']) await store.put(`segments/${key}`, Buffer.from(key))
  const keys = store.list('segments/')[Symbol.asyncIterator]()
  expect((await keys.next()).value).toMatch(/^segments\/[abc]\/1$/)
  await rm(join(root, 'segments'), { recursive: true })
  expect(await keys.next()).toEqual({ done: true, value: undefined })
  await rm(root, { recursive: true })
})
