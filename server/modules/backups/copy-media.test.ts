import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { diskStorage } from '../../platform/storage/disk.ts'
import type { Storage } from '../../platform/storage/storage-port.ts'
import { MediaCopier } from './copy-media.ts'
import type { ListedMedia } from './media-list.ts'

it('lists an object in a bad sector as damaged, and copies the others', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'reelgate-copy-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [own, copies, hashes] = ['own', 'copies', 'hashes'].map((name) => diskStorage(join(folder, name))) as [Storage, Storage, Storage]
  const nameOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32)
  const keyOf = (text: string) => `segments/vid_1/${nameOf(text)}`
  for (const text of ['one', 'two']) await own.put(keyOf(text), Buffer.from(text))
  await own.put('sources/vid_1', Buffer.from('source'))
  const media: Storage = {
    ...own,
    async *read(key, range) {
      if (key === keyOf('one')) throw Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO', syscall: 'read' })
      yield* own.read(key, range)
    },
  }
  const names = new Map(['one', 'two'].map((text) => [keyOf(text), nameOf(text)]))
  const listed: ListedMedia = { id: 'vid_1', videoId: 'vid_1', source: 'sources/vid_1', named: new Map([['segments/vid_1/', names]]) }
  const { signal } = new AbortController()
  const copier = new MediaCopier({ media, copies, hashes, present: async () => listed, signal })
  const { objects } = await copier.take(listed)
  expect(objects.map(({ key, fault }) => [key, fault])).toEqual([
    [keyOf('one'), 'changed'],
    [keyOf('two'), undefined],
    ['sources/vid_1', undefined],
  ])
  expect(copier.damaged).toEqual([`${keyOf('one')} is changed`])
})
