import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { provide } from '../../testing/settings.ts'
import { freeBytesByVolume, isLow, lowestFreeBytes } from './disk-space.ts'

/** A DATA_DIR of which one folder is on a volume without free space: that of the kernel's processes. */
function dataDir(full: string | undefined): void {
  const folder = mkdtempSync(join(tmpdir(), 'reelgate-disk-space-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'media'))
  if (full) symlinkSync('/proc', join(folder, full))
  provide({ BASE_URL: 'http://localhost', DATA_DIR: folder, STORAGE_RESERVE_BYTES: '1' })
}

test.runIf(process.platform === 'linux')('measures the volume of the embedded database for itself', async () => {
  dataDir('postgres')
  const { database, media } = await freeBytesByVolume()
  expect([database, media > 0, await lowestFreeBytes(), await isLow()]).toEqual([0, true, 0, true])
})

test('measures DATA_DIR where the database is on another server', async () => {
  dataDir(undefined)
  const { database } = await freeBytesByVolume()
  expect([database > 0, await isLow()]).toEqual([true, false])
})
