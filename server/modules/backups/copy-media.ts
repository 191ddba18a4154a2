import { BackupFault } from '../../platform/backup/backup-fault.ts'
import { copyObject } from '../../platform/backup/copy-object.ts'
import { readWhole } from '../../platform/backup/parts.ts'
import { isStorageError, isUnreadable } from '../../platform/storage/storage-error.ts'
import type { Storage } from '../../platform/storage/storage-port.ts'
import type { ListedMedia, MediaLine, MediaObject } from './media-list.ts'

/** Counts of a backup's media. */
export interface MediaCounts {
  videos: number
  objects: number
  bytes: number
  copied: { objects: number; bytes: number }
}

interface Stores {
  /** The installation's media storage. */
  media: Storage
  /** Where to copy objects. Undefined: only lists them. */
  copies: Storage | undefined
  /** Hashes of sources, whose names are not hashes, so that each source is read once. */
  hashes: Storage
}

interface Options extends Stores {
  /** Returns what media currently refers to. Undefined if it was purged. */
  present: (mediaId: string) => Promise<ListedMedia | undefined>
  signal: AbortSignal
}

/** Copies videos' media to a backup and lists it. An object is immutable under its key, so each is copied once. */
export class MediaCopier {
  readonly counts: MediaCounts = { videos: 0, objects: 0, bytes: 0, copied: { objects: 0, bytes: 0 } }
  /** Keys of objects missing from the backup, at most 20. */
  readonly damaged: string[] = []
  private readonly options: Options

  constructor(options: Options) {
    this.options = options
  }

  /** Returns one media's line. Leaves out what was removed since the snapshot because nothing refers to it anymore. */
  async take(listed: ListedMedia): Promise<MediaLine> {
    const objects: MediaObject[] = []
    for (const [prefix, names] of listed.named) {
      const there = names.size === 0 ? new Map<string, number>() : await sizesBelow(this.options.copies ?? this.options.media, prefix)
      for (const [key, name] of names) {
        const bytes = there.get(key)
        objects.push(bytes === undefined ? await this.takeNamed(key, name) : { key, bytes, sha256: name })
      }
    }
    objects.push(await this.takeSource(listed.source))
    const line = { video: listed.videoId, media: listed.id, objects: await this.withoutRemoved(listed.id, objects) }
    this.count(line)
    return line
  }

  private async takeNamed(key: string, name: string): Promise<MediaObject> {
    const { copies, media, signal } = this.options
    if (!copies) return { key, bytes: 0, sha256: name, fault: 'missing' }
    const done = await orMissing(copyObject({ key, from: media, to: copies, accept: (sha256) => sha256.startsWith(name), signal }))
    if (done === 'missing' || done === undefined) return { key, bytes: 0, sha256: name, fault: done ?? 'changed' }
    this.countCopy(done.bytes)
    return { key, bytes: done.bytes, sha256: name }
  }

  private async takeSource(key: string): Promise<MediaObject> {
    const { copies, media, hashes, signal } = this.options
    const known = await knownHash(hashes, key)
    const there = await (copies ?? media).stat(key)
    if (there && known?.bytes === there.bytes) return { key, ...known }
    const done = await orMissing(copyObject({ key, from: media, to: copies, signal }))
    if (done === 'missing' || !done) return { key, bytes: 0, sha256: '', fault: 'missing' }
    await hashes.put(key, Buffer.from(`${done.sha256} ${done.bytes}\n`))
    if (copies) this.countCopy(done.bytes)
    return { key, ...done }
  }

  /** Drops missing objects that the service removed in the meantime: from a purged video, or replaced by the owner. */
  private async withoutRemoved(mediaId: string, objects: MediaObject[]): Promise<MediaObject[]> {
    if (objects.every(({ fault }) => fault === undefined)) return objects
    const now = await this.options.present(mediaId)
    const kept = objects.filter(({ key, fault }) => fault === undefined || (now !== undefined && refersTo(now, key)))
    for (const { key, fault } of kept) if (fault && this.damaged.length < 20) this.damaged.push(`${key} is ${fault}`)
    return kept
  }

  private count({ objects }: MediaLine): void {
    this.counts.videos++
    for (const { fault, bytes } of objects) {
      if (fault) continue
      this.counts.objects++
      this.counts.bytes += bytes
    }
  }

  private countCopy(bytes: number): void {
    this.counts.copied.objects++
    this.counts.copied.bytes += bytes
  }
}

const refersTo = ({ source, named }: ListedMedia, key: string) => source === key || [...named.values()].some((names) => names.has(key))

/** Returns the sizes of the objects below a prefix, by key. */
export async function sizesBelow(store: Storage, prefix: string): Promise<Map<string, number>> {
  const sizes = new Map<string, number>()
  for await (const { key, bytes } of store.listSizes(prefix)) sizes.set(key, bytes)
  return sizes
}

/** Returns what `work` does, `missing` without the object, and undefined, as for other content, if the disk cannot read it. */
async function orMissing<Result>(work: Promise<Result>): Promise<Result | 'missing' | undefined> {
  try {
    return await work
  } catch (error) {
    if (isStorageError(error) && error.code === 'STORAGE_OBJECT_MISSING') return 'missing'
    if (isUnreadable(error)) return undefined
    throw error
  }
}

async function knownHash(hashes: Storage, key: string): Promise<{ bytes: number; sha256: string } | undefined> {
  const text = await readWhole(hashes, key).catch((error: unknown) => {
    if (error instanceof BackupFault) return undefined
    throw error
  })
  const [, sha256, bytes] = /^([0-9a-f]{64}) (\d{1,15})\n$/.exec(text?.toString() ?? '') ?? []
  return sha256 === undefined ? undefined : { sha256, bytes: Number(bytes) }
}
