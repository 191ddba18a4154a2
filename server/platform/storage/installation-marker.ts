import { services } from '../container.ts'
import { isStorageError, StorageError } from './storage-error.ts'
import type { Storage } from './storage-port.ts'

/** Key of the object that names the installation that a media store belongs to. */
export const MARKER = 'installation'

/** Content of the marker of a storage that the media was moved from: this, and where it is now. */
export const MOVED = 'moved to '

declare module '../container.ts' {
  interface Services {
    /** The installation's ID once the start has compared it with the media store's, and the pending read of the marker. */
    installation: { id?: string; reading?: Promise<string | undefined> | undefined }
  }
}

export const makeInstallation = (): { id?: string } => ({})

/** Returns the installation's ID once the start has compared it with the media store's marker, and undefined before. */
export const installationId = (): string | undefined => services().installation.id

/** Makes `check` compare the marker with this ID from now on. */
export function rememberInstallation(id: string): void {
  services().installation.id = id
}

export const LOST = 'The media storage is empty; its volume may not be mounted.'
const CHECK_MS = 4_000

/** Returns the ID in a store's marker, or undefined. Errors: StorageError. */
export async function readMarker(store: Storage): Promise<string | undefined> {
  try {
    const parts: Buffer[] = []
    for await (const part of store.read(MARKER)) parts.push(Buffer.from(part))
    return Buffer.concat(parts).toString().trim()
  } catch (error) {
    if (isStorageError(error) && error.code === 'STORAGE_OBJECT_MISSING') return undefined
    throw error
  }
}

/**
 * Checks that a store responds and that its marker names this installation: a lost mount is an empty folder, and a wrong bucket has another
 * marker. Before the start has compared the marker, only the response counts. Rejects with a StorageError.
 */
export async function checkMarker(store: Storage): Promise<void> {
  const installation = services().installation
  const { id } = installation
  // A file system that hangs blocks a thread per read, and there are four, so a second read waits for the first.
  installation.reading ??= readMarker(store).finally(() => {
    installation.reading = undefined
  })
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new StorageError('STORAGE_UNAVAILABLE', { message: 'The media storage does not respond in time.' })),
      CHECK_MS,
    )
  })
  try {
    const found = await Promise.race([installation.reading, late])
    if (id === undefined || found === id) return
    throw new StorageError('STORAGE_UNAVAILABLE', {
      message: found ? 'The media storage belongs to another installation.' : LOST,
    })
  } finally {
    clearTimeout(timer)
  }
}
