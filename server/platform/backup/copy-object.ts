import { createHash } from 'node:crypto'
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { env } from '../config/config.ts'
import { newId } from '../secrets/crypto.ts'
import type { ObjectHeaders, Storage } from '../storage/storage-port.ts'

/** Larger objects are copied through a file. */
const IN_MEMORY = 16 * 1024 ** 2

interface Copied {
  bytes: number
  /** Hexadecimal. */
  sha256: string
}

interface Options {
  key: string
  from: Storage
  /** Undefined: the object is only read. */
  to: Storage | undefined
  /** Decides from the hash whether the content is the expected one. Other content is not stored. */
  accept?: (sha256: string) => boolean
  headers?: ObjectHeaders | undefined
  signal: AbortSignal
}

/**
 * Copies an object between stores, and returns its size and hash. Undefined when `accept` refused its content. Errors: StorageError, and
 * errors of the disk.
 */
export async function copyObject({ key, from, to, accept = () => true, headers, signal }: Options): Promise<Copied | undefined> {
  const hash = createHash('sha256')
  const spool = new Spool(to !== undefined)
  let bytes = 0
  try {
    for await (const part of from.read(key)) {
      signal.throwIfAborted()
      hash.update(part)
      bytes += part.byteLength
      await spool.add(part)
    }
    const sha256 = hash.digest('hex')
    if (!accept(sha256)) return undefined
    if (to) await spool.store(to, key, headers)
    return { bytes, sha256 }
  } finally {
    await spool.remove()
  }
}

/** Folder for the files of objects being copied. */
const folder = () => join(env().DATA_DIR, 'backup')

/** Holds an object while it is copied: in memory, or in a file once it is large. */
class Spool {
  private readonly keeps: boolean
  private held: Buffer[] = []
  private heldBytes = 0
  private file: { path: string; handle: FileHandle } | undefined

  constructor(keeps: boolean) {
    this.keeps = keeps
  }

  async add(part: Uint8Array): Promise<void> {
    if (!this.keeps) return
    // The chunk may be overwritten once the next one is requested.
    this.held.push(Buffer.from(part))
    this.heldBytes += part.byteLength
    if (this.heldBytes > IN_MEMORY) await this.spill()
  }

  private async spill(): Promise<void> {
    if (!this.file) {
      await mkdir(folder(), { recursive: true, mode: 0o700 })
      const path = join(folder(), newId('tmp'))
      this.file = { path, handle: await open(path, 'wx', 0o600) }
    }
    await this.file.handle.writeFile(Buffer.concat(this.held))
    this.held = []
    this.heldBytes = 0
  }

  async store(to: Storage, key: string, headers: ObjectHeaders | undefined): Promise<void> {
    if (!this.file) return to.put(key, Buffer.concat(this.held), headers)
    await this.spill()
    await this.file.handle.close()
    await to.putFile(key, this.file.path, headers)
  }

  async remove(): Promise<void> {
    if (!this.file) return
    await this.file.handle.close().catch(() => {})
    await rm(this.file.path, { force: true })
  }
}

/** Removes what killed processes left behind. Call it only while no other backup runs. */
export const sweepCopies = () => rm(folder(), { recursive: true, force: true })
