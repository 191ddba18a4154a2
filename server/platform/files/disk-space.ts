import { statfsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { env } from '../config/config.ts'
import { services } from '../container.ts'
import { storageLocation } from '../storage/s3-client.ts'

/** Folders of DATA_DIR that can be separate volumes, and what is written there. A missing one is measured where it would be. */
export const VOLUMES = { database: 'postgres', uploads: 'uploads', media: 'media', work: 'work' } as const
type Volume = keyof typeof VOLUMES
function pathOf(volume: Volume): string {
  const { STORAGE_URL, DATA_DIR } = env()
  if (volume === 'media' && STORAGE_URL && 'folder' in STORAGE_URL) return STORAGE_URL.folder
  return join(/* turbopackIgnore: true */ DATA_DIR, VOLUMES[volume])
}

const isAbsent = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT'

/** Returns the bytes that can still be written on a folder's volume. The folder need not exist yet. */
export async function freeBytes(folder: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(/* turbopackIgnore: true */ folder)
    return bavail * bsize
  } catch (error) {
    if (!isAbsent(error) || dirname(folder) === folder) throw error
    return freeBytes(dirname(folder))
  }
}

/** Returns the free bytes of the fullest of these volumes, or of all that this installation writes to. */
export async function lowestFreeBytes(volumes: readonly Volume[] = Object.keys(VOLUMES) as Volume[]): Promise<number> {
  return Math.min(...(await Promise.all(volumes.map((volume) => freeBytes(pathOf(volume))))))
}

/** Returns the free bytes of the volume of each folder. */
export async function freeBytesByVolume(): Promise<Record<Volume, number>> {
  const names = Object.keys(VOLUMES) as Volume[]
  const free = await Promise.all(names.map(async (name) => [name, await freeBytes(pathOf(name))] as const))
  return Object.fromEntries(free) as Record<Volume, number>
}

/** Returns whether the fullest volume has less free space than STORAGE_RESERVE_BYTES. */
export const isLow = async (): Promise<boolean> => (await lowestFreeBytes()) < env().STORAGE_RESERVE_BYTES

const SIZE_IS_FRESH_MS = 60_000

/** A measurement. The pages' module graph has its own copy of this module, which repeats it at most once a minute. */
const known = { size: 0, path: '', at: 0 }

/** Used as the size of an object store, which cannot be measured. */
export const OBJECT_STORE_BYTES = 10e12

/** Returns the size in bytes of the media volume. Measures it at most once a minute. */
export function mediaVolumeBytes(): number {
  if (storageLocation()) return OBJECT_STORE_BYTES
  const path = pathOf('media')
  if (known.path === path && Math.abs(performance.now() - known.at) < SIZE_IS_FRESH_MS) return known.size
  return Object.assign(known, { size: sizeOf(path), path, at: performance.now() }).size
}

function sizeOf(folder: string): number {
  try {
    const { blocks, bsize } = statfsSync(/* turbopackIgnore: true */ folder)
    return blocks * bsize
  } catch (error) {
    if (!isAbsent(error) || dirname(folder) === folder) throw error
    return sizeOf(dirname(folder))
  }
}

/** Bytes that may be written before free space is measured again; half a second is the other limit. */
const UNSEEN_BYTES = 8 * 1024 ** 2
const UNSEEN_MS = 500

/** Counts down the free space on the upload volume as bytes arrive. All uploads of the process share one. */
export class DiskSpaceMonitor {
  private left = 0
  private until = 0
  private unseen = 0
  private asking: Promise<void> | undefined

  /** Returns the free bytes left once `bytes` more are written. */
  async after(bytes: number): Promise<number> {
    if (this.unseen + bytes > UNSEEN_BYTES || performance.now() >= this.until) {
      this.asking ??= this.measure().finally(() => {
        this.asking = undefined
      })
      await this.asking
    }
    this.unseen += bytes
    return this.left - this.unseen
  }

  private async measure(): Promise<void> {
    this.left = await lowestFreeBytes(['database', 'uploads', 'media'])
    this.unseen = 0
    this.until = performance.now() + UNSEEN_MS
  }
}

declare module '../container.ts' {
  interface Services {
    uploadSpace: DiskSpaceMonitor
  }
}

export const uploadSpace = () => services().uploadSpace
