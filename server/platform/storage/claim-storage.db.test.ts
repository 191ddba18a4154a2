import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { checkStorage } from '../../http/health.ts'
import { removeMedia } from '../../modules/media/remove-media.ts'
import { testDatabase } from '../../testing/database.ts'
import { provide, renew } from '../../testing/settings.ts'
import { query } from '../database/database.ts'
import { adoptStorage, claimStorage } from './claim-storage.ts'
import { storage } from './storage.ts'

const { dataDir } = await testDatabase()
const folders: string[] = []
const machine = async (folder?: string) => {
  const path = folder ?? (await mkdtemp(join(tmpdir(), 'reelgate-machine-')))
  if (!folder) folders.push(path)
  provide({ DATA_DIR: path })
  renew('storage', 'installation')
  return path
}
beforeEach(async () => {
  await query('installation-reset', 'UPDATE installation SET id = NULL, claimed_at = NULL', [])
  await rm(join(dataDir, 'media'), { recursive: true, force: true })
  await machine(dataDir)
})
afterAll(async () => {
  provide({ DATA_DIR: dataDir })
  for (const folder of folders) await rm(folder, { recursive: true, force: true })
})

it('writes its id into the media folder at the first start, and accepts the folder at the next ones', async () => {
  await claimStorage()
  const marker = await readFile(join(dataDir, 'media/installation'), 'utf8')
  await machine(dataDir)
  await claimStorage()
  expect(await readFile(join(dataDir, 'media/installation'), 'utf8')).toBe(marker)
  await storage().check()
})

it('refuses the disk of another machine, until the operator adopts it', async () => {
  await claimStorage()
  const other = await machine()
  await expect(claimStorage()).rejects.toThrow('does not belong to this installation')
  expect(existsSync(join(other, 'media'))).toBe(false)
  await adoptStorage()
  await claimStorage()
})

it('refuses the media of another installation', async () => {
  await claimStorage()
  await query('installation-other', `UPDATE installation SET id = 'ins_other'`, [])
  await machine(dataDir)
  await expect(claimStorage()).rejects.toThrow('belong to different installations')
})

it('lets only one of two machines begin', async () => {
  const second = await mkdtemp(join(tmpdir(), 'reelgate-machine-'))
  folders.push(second)
  const first = claimStorage()
  provide({ DATA_DIR: second })
  renew('storage')
  const both = await Promise.allSettled([first, claimStorage()])
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
})

it('fails its check, and stores nothing, while the volume is not mounted', async () => {
  await claimStorage()
  await storage().put('a/b', Buffer.from('x'))
  await rename(join(dataDir, 'media'), join(dataDir, 'volume'))
  await mkdir(join(dataDir, 'media'))
  await expect(storage().check()).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE', message: expect.stringContaining('not be mounted') })
  await expect(storage().put('a/c', Buffer.from('x'))).rejects.toThrow('not be mounted')
  expect(await checkStorage()).toEqual({ state: 'failing', checks: { storage: 'unavailable' } })
  // A receipt would state that its media is removed.
  await expect(removeMedia('vid_1')).rejects.toThrow('not be mounted')
  await rm(join(dataDir, 'media'), { recursive: true })
  await expect(storage().put('a/c', Buffer.from('x'))).rejects.toThrow('not be mounted')
  await rename(join(dataDir, 'volume'), join(dataDir, 'media'))
  expect(await checkStorage()).toMatchObject({ checks: { storage: expect.stringMatching(/enough|low/) } })
  await storage().put('a/c', Buffer.from('x'))
})
