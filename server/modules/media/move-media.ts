import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { query } from '../../platform/database/database.ts'
import { hashFile } from '../../platform/files/hash-file.ts'
import { log } from '../../platform/observe/log.ts'
import { SILENT_SEC } from '../../platform/process-registry.ts'
import { MARKER, MOVED, readMarker } from '../../platform/storage/installation-marker.ts'
import { mediaLocationText, parseMediaLocation } from '../../platform/storage/media-location.ts'
import { applyMove, type MediaMove, type MovePhase, readMove } from '../../platform/storage/media-move.ts'
import { openStore, ownLocation } from '../../platform/storage/storage.ts'
import { isStorageError } from '../../platform/storage/storage-error.ts'
import type { Storage } from '../../platform/storage/storage-port.ts'
import { hashNameOf } from '../videos/media-faults.ts'
import { extraPrefix, picturePrefix, SOURCES, segmentHeaders, segmentPrefix, sourceKey } from '../videos/media-keys.ts'
import { hashObject } from './hash-object.ts'

/** Pieces of unfinished uploads (server/modules/uploads/resumable/part-writer.ts). */
const PIECES = 'uploads/'
/** Larger objects are copied through a file, not through memory. */
const IN_MEMORY = 16 * 1024 ** 2
/** How many of a video's objects are copied concurrently. */
const AT_ONCE = 8
const PAGE = 200
const POLL_MS = 500

/** What a copy did or, without copying, would do. */
export interface CopyReport {
  objects: number
  bytes: number
  /** Keys of objects whose content does not match their name in the source. They are copied as they are. */
  damaged: string[]
}

interface Stores {
  source: Storage
  target: Storage
}

const open = ({ source, target }: Pick<MediaMove, 'source' | 'target'>): Stores => ({
  source: openStore(parseMediaLocation(source)),
  target: openStore(parseMediaLocation(target)),
})

/** Returns the move to a location: the one in progress, also in the opposite direction, or a new one that is not stored yet. */
async function moveTo(to: string): Promise<{ move: MediaMove; isNew: boolean }> {
  const target = mediaLocationText(parseMediaLocation(to))
  const begun = await readMove()
  if (begun && begun.target === target) return { move: begun, isNew: false }
  const source = begun?.target ?? ownLocation()
  if (begun && begun.source !== target)
    throw new Error(
      `The media is already being moved from ${begun.source} to ${begun.target}. Finish that move, or undo it with --to ${begun.source}.`,
    )
  if (source === target) throw new Error('The media is already there: --to is the location of STORAGE_URL.')
  return { move: { source, target, phase: 'reading', after: '' }, isNew: true }
}

/** Counts what a move to a location would copy. Changes nothing. */
export async function previewMove(to: string): Promise<CopyReport> {
  const { move } = await moveTo(to)
  const stores = open(move)
  // An address that cannot be read rejects.
  for await (const _ of stores.target.list('segments/')) break
  const report: CopyReport = { objects: 0, bytes: 0, damaged: [] }
  for await (const { objects } of missingByVideo(stores))
    for (const { bytes } of objects) {
      report.objects++
      report.bytes += bytes
    }
  return report
}

/**
 * Moves the media to a location while processes serve it, until all of it is there and new media is written there. Continues an interrupted
 * move. `say` receives what is done. Errors: in words for the operator; StorageError.
 */
export async function moveMedia(to: string, { signal, say }: { signal: AbortSignal; say: (line: string) => void }): Promise<CopyReport> {
  const { move, isNew } = await moveTo(to)
  const stores = open(move)
  await claimTarget(stores)
  if (isNew) await query('begin-media-move', BEGIN, [move.source, move.target])
  applyMove(move, openStore)
  say(`Moving media from ${move.source} to ${move.target}.`)
  if (move.phase === 'reading') {
    await enter('reading', signal, say)
    await enter('writing', signal, say)
  }
  say(move.after ? 'Continuing the copy.' : 'Copying. New media goes to the new storage.')
  const total: CopyReport = { objects: 0, bytes: 0, damaged: [] }
  for await (const { videoId, objects } of missingByVideo(stores, { after: move.after, recheck: true })) {
    const copied = await copyAll(stores, objects, signal)
    for (const figure of ['objects', 'bytes'] as const) total[figure] += copied[figure]
    total.damaged.push(...copied.damaged)
    await query('advance-media-move', ADVANCE, [videoId, copied.objects, copied.bytes])
  }
  await enter('copied', signal, say)
  return total
}

/**
 * Ends a move once all processes use the new storage: copies what was written to the old one in the meantime, and marks the old one so that
 * no process starts with it. Errors: in words for the operator.
 */
export async function finishMove({ signal, say }: { signal: AbortSignal; say: (line: string) => void }): Promise<MediaMove> {
  const move = await readMove()
  if (move?.phase !== 'copied')
    throw new Error(move ? 'Some objects are not copied yet. Run media move --to again.' : 'No media is being moved.')
  const behind = await query<{ host: string; pid: number }>('processes-elsewhere', ELSEWHERE, [move.target, SILENT_SEC])
  if (ownLocation() !== move.target || behind.length > 0) {
    const names = behind.map(({ host, pid }) => `${host} (process ${pid})`)
    throw new Error(`STORAGE_URL is not ${move.target} yet ${names.length > 0 ? `on ${names.join(', ')}` : 'for this command'}.`)
  }
  const stores = open(move)
  for await (const { objects } of missingByVideo(stores)) await copyAll(stores, objects, signal)
  await stores.source.put(MARKER, Buffer.from(MOVED + move.target))
  await query('end-media-move', ENDED, [])
  applyMove(undefined, openStore)
  await applied('', signal, say)
  return move
}

const BEGIN = `
  INSERT INTO media_move (source, target, phase) VALUES ($1, $2, 'reading')
  ON CONFLICT (singleton) DO UPDATE SET source = $1, target = $2, phase = 'reading', after = '', objects = 0, bytes = 0`
const ADVANCE = 'UPDATE media_move SET after = $1, objects = objects + $2, bytes = bytes + $3'
const ENTER = `WITH changed AS (UPDATE media_move SET phase = $1) SELECT pg_notify('reelgate', 'media-move:' || $1)`
/** Erasures of viewers are copied again, to the new storage (server/modules/backups/erasures.ts). */
const ENDED = `
  WITH gone AS (DELETE FROM media_move), again AS (UPDATE deletion SET copied_at = NULL WHERE kind = 'viewer.erasure')
  SELECT pg_notify('reelgate', 'media-move:ended')`
const ELSEWHERE = `
  SELECT host, pid FROM process WHERE storage <> $1 AND heartbeat_at > service_clock() - make_interval(secs => $2) ORDER BY host, pid`
const BEHIND = `
  SELECT host, pid FROM process WHERE move_applied <> $1 AND heartbeat_at > service_clock() - make_interval(secs => $2) ORDER BY host, pid`

/** Writes this installation's marker to the new storage. Refuses another installation's. */
async function claimTarget({ source, target }: Stores): Promise<void> {
  const id = await readMarker(source)
  if (!id) throw new Error('The current media storage has no marker. Start the service once, then try again.')
  const found = await readMarker(target)
  if (found !== undefined && found !== id && !found.startsWith(MOVED))
    throw new Error('The new storage belongs to another installation. Choose another prefix or folder.')
  if (found !== id) await target.put(MARKER, Buffer.from(id))
}

/** Enters a phase, and waits until every process applies it. */
async function enter(phase: MovePhase, signal: AbortSignal, say: (line: string) => void): Promise<void> {
  await query('enter-media-move', ENTER, [phase])
  const move = await readMove()
  applyMove(move, openStore)
  await applied(phase, signal, say)
}

async function applied(phase: MovePhase | '', signal: AbortSignal, say: (line: string) => void): Promise<void> {
  for (let said = ''; ; ) {
    const behind = await query<{ host: string; pid: number }>('processes-behind', BEHIND, [phase, SILENT_SEC])
    if (behind.length === 0) return
    const line = `Waiting for ${behind.map(({ host, pid }) => `${host} (process ${pid})`).join(', ')}.`
    if (line !== said) say(line)
    said = line
    await wait(POLL_MS, undefined, { signal })
  }
}

interface Copied {
  key: string
  bytes: number
  /** The target has an object with this key and size, which an interrupted copy may not have verified. */
  exists: boolean
}

/**
 * Yields what the target lacks of each video, by ID, and of unfinished uploads last. With `recheck`, also what it has of videos that an
 * interrupted copy did not complete.
 */
async function* missingByVideo(
  { source, target }: Stores,
  { after = '', recheck = false }: { after?: string; recheck?: boolean } = {},
): AsyncGenerator<{ videoId: string; objects: Copied[] }> {
  for (let last = after; ; ) {
    const rows = await query<{ id: string }>('videos-to-move', OWNERS, [last, PAGE])
    for (const { id } of rows) {
      const objects: Copied[] = []
      for (const prefix of [segmentPrefix(id), picturePrefix(id), extraPrefix(id)])
        objects.push(...(await compared(source, target, prefix)))
      const original = await source.stat(sourceKey(id))
      if (original)
        objects.push({ key: sourceKey(id), bytes: original.bytes, exists: await hasSize(target, sourceKey(id), original.bytes) })
      yield { videoId: id, objects: objects.filter(({ exists }) => recheck || !exists) }
    }
    last = rows.at(-1)?.id ?? last
    if (rows.length < PAGE) {
      const pieces = await compared(source, target, PIECES)
      yield { videoId: last, objects: pieces.filter(({ exists }) => recheck || !exists) }
      return
    }
  }
}

/** IDs that media is stored under, in order. */
const OWNERS = `
  (SELECT id FROM video WHERE id > $1 ORDER BY id LIMIT $2)
  UNION (SELECT id FROM media WHERE id > $1 ORDER BY id LIMIT $2) ORDER BY id LIMIT $2`

const hasSize = async (store: Storage, key: string, bytes: number) => (await store.stat(key))?.bytes === bytes

async function compared(source: Storage, target: Storage, prefix: string): Promise<Copied[]> {
  const present = new Map<string, number>()
  for await (const { key, bytes } of target.listSizes(prefix)) present.set(key, bytes)
  const objects: Copied[] = []
  for await (const { key, bytes } of source.listSizes(prefix)) objects.push({ key, bytes, exists: present.get(key) === bytes })
  return objects
}

async function copyAll(stores: Stores, objects: readonly Copied[], signal: AbortSignal): Promise<CopyReport> {
  const report: CopyReport = { objects: 0, bytes: 0, damaged: [] }
  const waiting = objects.values()
  const next = async () => {
    for (const object of waiting) {
      signal.throwIfAborted()
      const hash = await copyOne(stores, object, signal)
      if (hash === undefined) continue
      report.objects++
      report.bytes += object.bytes
      const isNamed = !object.key.startsWith(SOURCES) && !object.key.startsWith(PIECES)
      if (!isNamed || hash.startsWith(hashNameOf(object.key))) continue
      report.damaged.push(object.key)
      log().error({ key: object.key }, 'copied a damaged object as it is')
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, next))
  return report
}

/** How often an object is copied whose copy differs. */
const ATTEMPTS = 3

/** Copies one object and compares the hashes of both. Returns the hash. Undefined if it was deleted in the meantime. */
async function copyOne({ source, target }: Stores, { key, bytes, exists }: Copied, signal: AbortSignal): Promise<string | undefined> {
  const headers = key.startsWith('segments/') ? segmentHeaders(key) : undefined
  try {
    for (let attempt = exists ? 0 : 1; attempt <= ATTEMPTS; attempt++) {
      const hash = await (attempt === 0
        ? hashObject(key, { store: source }).then((found) => found.hash)
        : bytes <= IN_MEMORY
          ? copyInMemory()
          : copyFile())
      const copy = await hashObject(key, { store: target })
      if (copy.hash !== hash) continue
      // Deleted in both before it was stored in the target: nothing else would remove it.
      if (!(await source.stat(key))) await target.delete(key)
      return hash
    }
  } catch (error) {
    if (isStorageError(error) && error.code === 'STORAGE_OBJECT_MISSING' && !(await source.stat(key))) return undefined
    throw error
  }
  throw new Error(`The new storage returns different content for ${key} than was stored.`)

  async function copyInMemory(): Promise<string> {
    const parts: Buffer[] = []
    for await (const part of source.read(key)) parts.push(Buffer.from(part))
    const content = Buffer.concat(parts)
    await target.put(key, content, headers)
    return createHash('sha256').update(content).digest('hex')
  }
  async function copyFile(): Promise<string> {
    const file = await source.localFile(key, signal)
    try {
      await target.putFile(key, file.path, headers)
      return (await hashFile(file.path, signal)).toString('hex')
    } finally {
      await file.release()
    }
  }
}
