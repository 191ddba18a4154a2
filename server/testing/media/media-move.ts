import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { AccountCtx } from '../../context.ts'
import { finishMove, moveMedia, previewMove } from '../../modules/media/move-media.ts'
import { contentName } from '../../modules/transcoding/encode/segment-store.ts'
import { extraKey, pictureKey, segmentKey, sourceKey } from '../../modules/videos/media-keys.ts'
import { db } from '../../platform/database/database.ts'
import { processRegistry } from '../../platform/process-registry.ts'
import { adoptStorage, claimStorage } from '../../platform/storage/claim-storage.ts'
import { parseMediaLocation } from '../../platform/storage/media-location.ts'
import { readMove } from '../../platform/storage/media-move.ts'
import { openStore, storage } from '../../platform/storage/storage.ts'
import { makeAccount, makeVideo } from '../make.ts'
import { provide, renew } from '../settings.ts'
import { rounds } from './rounds.ts'

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const signal = () => AbortSignal.timeout(120_000)
/** Between two readings of all objects, so that the move, not its reader, has the processor. */
const PAUSE_MS = rounds(25, 0)

/**
 * Tests moving media between two locations, in a process that keeps serving: its registry follows the move like any process's. A location
 * is the value of STORAGE_URL; an empty one is DATA_DIR/media. Call it after `testDatabase()`.
 */
export function testMediaMove(name: string, locations: () => Promise<{ from: string; to: string }>, tags: string[] = []): void {
  it(`moves media ${name}, interrupted once, while it is read, uploaded and deleted`, { tags }, async () => {
    const { from, to } = await locations()
    provide({ STORAGE_URL: from })
    renew('storage', 's3Clients', 'mediaMove', 'installation')
    await claimStorage().catch(() => adoptStorage())
    await processRegistry().join(['web'])
    const target = to || 'disk'
    const ctx = await makeAccount()
    /** Hashes of what is stored, by key. */
    const stored = new Map<string, string>()
    for (let made = 0; made < 6; made++) await upload(ctx, stored)
    const gone = [...(await upload(ctx)).keys()]

    expect(await previewMove(target)).toEqual({ objects: 7 * 5, bytes: 7 * 5_000, damaged: [] })
    const reading = readUntilStopped(stored)
    const interrupted = signal()
    let objects = 0
    vi.spyOn(interrupted, 'throwIfAborted').mockImplementation(() => {
      if (++objects > 13) throw new Error('the command was killed')
    })
    await expect(moveMedia(target, { signal: interrupted, say: () => {} })).rejects.toThrow('was killed')
    expect((await readMove())?.after).not.toBe('')
    // Written to the new storage by now.
    await upload(ctx, stored)
    for (const key of gone) await storage().delete(key)
    await expect(finishMove({ signal: signal(), say: () => {} })).rejects.toThrow('Some objects are not copied yet')
    const { damaged } = await moveMedia(target, { signal: signal(), say: () => {} })
    expect(damaged).toEqual([])
    await expect(finishMove({ signal: signal(), say: () => {} })).rejects.toThrow('STORAGE_URL is not')

    // A restart with the new setting.
    await processRegistry().leave()
    provide({ STORAGE_URL: to })
    renew('storage', 'mediaMove', 'processRegistry', 'installation')
    await claimStorage()
    await processRegistry().join(['web'])
    await upload(ctx, stored)
    await finishMove({ signal: signal(), say: () => {} })
    expect(await reading.stop()).toBeGreaterThan(0)
    await processRegistry().leave()

    const moved = openStore(parseMediaLocation(target))
    for (const [key, hash] of stored) expect(hashOf(await content(() => moved.read(key)))).toBe(hash)
    for (const key of gone) expect(await moved.stat(key)).toBeUndefined()

    provide({ STORAGE_URL: from })
    renew('storage', 'installation')
    await expect(claimStorage()).rejects.toThrow('the media was moved to')
  })
}

/** Stores the media of a video as an upload and its transcoding do. Returns the hash of each object by its key. */
async function upload(ctx: AccountCtx, into = new Map<string, string>()): Promise<Map<string, string>> {
  const bodies = Array.from({ length: 5 }, () => randomBytes(1_000))
  const [source, first, second, picture, extra] = bodies as [Buffer, Buffer, Buffer, Buffer, Buffer]
  const id = await makeVideo(ctx)
  const objects: [string, Buffer][] = [
    [sourceKey(id), source],
    [segmentKey(id, contentName(first)), first],
    [segmentKey(id, contentName(second)), second],
    [pictureKey(id, contentName(picture)), picture],
    [extraKey(id, contentName(extra)), extra],
  ]
  for (const [key, body] of objects) {
    await storage().put(key, body)
    into.set(key, hashOf(body))
  }
  return into
}

async function content(read: () => AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of read()) parts.push(Buffer.from(part))
  return Buffer.concat(parts)
}

/** Reads all objects again and again. `stop` returns the number of reads. It rejects if one failed or returned other bytes. */
function readUntilStopped(stored: ReadonlyMap<string, string>): { stop(): Promise<number> } {
  let stopped = false
  let reads = 0
  const running = (async () => {
    while (!stopped) {
      for (const [key, hash] of [...stored]) {
        expect(hashOf(await content(() => storage().read(key)))).toBe(hash)
        expect(await storage().stat(key)).toBeDefined()
        reads++
      }
      await pause(PAUSE_MS)
    }
  })()
  running.catch(() => {})
  return {
    async stop() {
      stopped = true
      await running
      return reads
    },
  }
}

/** Returns an empty folder that is removed when the file's tests end. */
export function scratchFolder(): () => string {
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'reelgate-move-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))
  return () => folder
}

/** Removes all videos, so that the next move begins with none. */
export const removeVideos = () => db().video.deleteMany()
