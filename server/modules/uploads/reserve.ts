import { ServiceError } from '../../errors.ts'
import { env } from '../../platform/config/config.ts'
import { freeBytes, uploadSpace } from '../../platform/files/disk-space.ts'

/** Free bytes below which a failed write is attributed to a full disk. */
const FULL_DISK_BYTES = 1024 ** 2

/**
 * Writes incoming bytes to a folder while the reserve is free. `write` receives a stream that ends early, so that the bytes received before
 * are stored when the client requests the offset. Errors: STORAGE_FULL once the reserve would be used, also when other files used the space
 * reserved for this upload.
 */
export async function writeWithinReserve<Result>(
  source: AsyncIterable<Uint8Array>,
  folder: string,
  write: (bytes: AsyncGenerator<Uint8Array>) => Promise<Result>,
): Promise<Result> {
  const { STORAGE_RESERVE_BYTES: reserve } = env()
  let full = false
  async function* withinReserve() {
    for await (const chunk of source) {
      full = (await uploadSpace().after(chunk.length)) < reserve
      if (full) return
      yield chunk
    }
  }
  const result = await write(withinReserve()).catch(async (error) => {
    full ||= (await freeBytes(folder)) < FULL_DISK_BYTES
    throw full ? new ServiceError('STORAGE_FULL') : error
  })
  if (full) throw new ServiceError('STORAGE_FULL')
  return result
}
