import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeEach, expect, it } from 'vitest'
import { query } from '../../platform/database/database.ts'
import { claimStorage } from '../../platform/storage/claim-storage.ts'
import { MARKER } from '../../platform/storage/installation-marker.ts'
import { followMove } from '../../platform/storage/media-move.ts'
import { openStore, storage } from '../../platform/storage/storage.ts'
import { testDatabase } from '../../testing/database.ts'
import { expectLoggedErrors } from '../../testing/logs.ts'
import { makeAccount, makeVideo } from '../../testing/make.ts'
import { removeVideos, scratchFolder, testMediaMove } from '../../testing/media/media-move.ts'
import { provide, renew } from '../../testing/settings.ts'
import { storageContract } from '../../testing/storage-contract.ts'
import { segmentKey } from '../videos/media-keys.ts'
import { moveMedia, previewMove } from './move-media.ts'

await testDatabase()
expectLoggedErrors(/copied a damaged object/)
const scratch = scratchFolder()
beforeEach(async () => {
  await removeVideos()
  await query('no-move', 'DELETE FROM media_move', [])
})
const signal = new AbortController().signal

testMediaMove('from DATA_DIR/media to another folder', async () => ({ from: '', to: pathToFileURL(join(scratch(), 'media')).href }))

testMediaMove('from a folder to DATA_DIR/media', async () => ({ from: pathToFileURL(join(scratch(), 'first')).href, to: '' }), ['deep'])

it('copies a damaged object as it is and reports it, and returns to the old storage when asked', async () => {
  const home = pathToFileURL(join(scratch(), 'home')).href
  const away = pathToFileURL(join(scratch(), 'away')).href
  await query('new-installation', 'UPDATE installation SET id = NULL, claimed_at = NULL', [])
  provide({ STORAGE_URL: home })
  renew('storage', 'mediaMove', 'installation')
  await claimStorage()
  const id = await makeVideo(await makeAccount())
  const body = randomBytes(100)
  const key = segmentKey(id, createHash('sha256').update('another').digest('hex').slice(0, 32))
  await storage().put(key, body)
  expect(await moveMedia(away, { signal, say: () => {} })).toMatchObject({ objects: 1, damaged: [key] })
  await expect(previewMove('disk')).rejects.toThrow('Finish that move')
  const back = segmentKey(id, 'b'.repeat(32))
  await storage().put(back, body)
  expect((await moveMedia(home, { signal, say: () => {} })).damaged.sort()).toEqual([key, back].sort())
  expect(await openStore({ folder: join(scratch(), 'home') }).stat(back)).toEqual({ bytes: 100 })
})

it('refuses the present storage, and one of another installation', async () => {
  const home = pathToFileURL(join(scratch(), 'home2')).href
  await query('new-installation', 'UPDATE installation SET id = NULL, claimed_at = NULL', [])
  provide({ STORAGE_URL: home })
  renew('storage', 'mediaMove', 'installation')
  await claimStorage()
  await expect(moveMedia(home, { signal, say: () => {} })).rejects.toThrow('already there')
  await openStore({ folder: join(scratch(), 'foreign') }).put(MARKER, Buffer.from('ins_other'))
  const foreign = pathToFileURL(join(scratch(), 'foreign')).href
  await expect(moveMedia(foreign, { signal, say: () => {} })).rejects.toThrow('belongs to another installation')
})

storageContract('two storages during a move', (folder) => {
  renew('mediaMove', 'installation')
  return followMove(openStore({ folder: join(folder, 'media') }))
})
