import { services } from '../container.ts'
import { query } from '../database/database.ts'
import { parseMediaLocation } from './media-location.ts'
import { isStorageError } from './storage-error.ts'
import type { LocalFile, Storage } from './storage-port.ts'

/**
 * Phases of a move, in order. `reading`: processes read both storages and write to the source. `writing`: they write to the target while
 * media is copied there. `copied`: everything is in the target.
 */
export type MovePhase = 'reading' | 'writing' | 'copied'

/** The move's row. Locations are as in media-location.ts. */
export interface MediaMove {
  source: string
  target: string
  phase: MovePhase
  /** The last video copied so far. */
  after: string
}

interface ActiveMove {
  move: MediaMove
  source: Storage
  target: Storage
}

declare module '../container.ts' {
  interface Services {
    /** The move that this process applies. */
    mediaMove: { active?: ActiveMove | undefined }
  }
}

export const makeMediaMove = (): { active?: ActiveMove } => ({})

/** Returns the move that this process applies, or undefined. */
export const mediaMove = (): MediaMove | undefined => services().mediaMove.active?.move

/** SQL for the move's row as JSON, or null. */
export const MOVE = `(SELECT json_build_object('source', source, 'target', target, 'phase', phase, 'after', after) FROM media_move)`

/** Reads the move from the database. */
export async function readMove(): Promise<MediaMove | undefined> {
  const [row] = await query<{ move: MediaMove | null }>('media-move', `SELECT ${MOVE} AS move`, [])
  return row?.move ?? undefined
}

/** Applies the move's current state to this process's storage. `open` returns the store of a location. */
export function applyMove(move: MediaMove | undefined, open: (location: ReturnType<typeof parseMediaLocation>) => Storage): void {
  const holder = services().mediaMove
  const { active } = holder
  if (!move) holder.active = undefined
  else if (active?.move.source === move.source && active.move.target === move.target) holder.active = { ...active, move }
  else holder.active = { move, source: open(parseMediaLocation(move.source)), target: open(parseMediaLocation(move.target)) }
}

/** Returns a store that follows the media's move. Without a move, every call goes to `own`. */
export function followMove(own: Storage): Storage {
  const active = () => services().mediaMove.active
  /** The store to write to. */
  const written = () => {
    const moving = active()
    if (!moving) return own
    return moving.move.phase === 'reading' ? moving.source : moving.target
  }
  /** Both stores, the one with more objects first. Undefined without a move. */
  const both = (): [Storage, Storage] | undefined => {
    const moving = active()
    if (!moving) return undefined
    return moving.move.phase === 'reading' ? [moving.source, moving.target] : [moving.target, moving.source]
  }
  /** Deletes in the source first: a running copy looks there after storing an object (server/modules/media/move-media.ts). */
  const fromBoth = async (run: (store: Storage) => Promise<void>) => {
    const moving = active()
    for (const store of moving ? [moving.source, moving.target] : [own]) await run(store)
  }
  return {
    put: (key, content, headers) => written().put(key, content, headers),
    putFile: (key, path, headers) => written().putFile(key, path, headers),
    read(key, range) {
      const stores = both()
      return stores ? readEither(stores, (store) => store.read(key, range)) : own.read(key, range)
    },
    stat: (key) => either(both(), own, async (store) => (await store.stat(key)) ?? missing),
    delete: (key) => fromBoth((store) => store.delete(key)),
    deletePrefix: (prefix) => fromBoth((store) => store.deletePrefix(prefix)),
    list(prefix) {
      const stores = both()
      return stores
        ? union(
            stores,
            (store) => store.list(prefix),
            (key) => key,
          )
        : own.list(prefix)
    },
    listSizes(prefix) {
      const stores = both()
      return stores
        ? union(
            stores,
            (store) => store.listSizes(prefix),
            ({ key }) => key,
          )
        : own.listSizes(prefix)
    },
    localFile: async (key, signal) => (await either(both(), own, (store) => store.localFile(key, signal))) as LocalFile,
    sweep: (olderThanMs) => fromBoth((store) => store.sweep(olderThanMs)),
    // The other storage may be down without taking this process out of service.
    check: () => own.check(),
  }
}

const missing = Symbol('missing')

/** Returns the first store's result, or the second's if the first lacks the object or does not respond. */
async function either<T>(
  stores: [Storage, Storage] | undefined,
  own: Storage,
  run: (store: Storage) => Promise<T | typeof missing>,
): Promise<T | undefined> {
  const known = (result: T | typeof missing) => (result === missing ? undefined : result)
  if (!stores) return known(await run(own))
  const [first, second] = stores
  try {
    const result = await run(first)
    if (result !== missing) return result
  } catch (error) {
    if (!isStorageError(error)) throw error
    const result = await run(second).catch((other) => Promise.reject(isMissing(other) ? error : other))
    if (result === missing && !isMissing(error)) throw error
    return known(result)
  }
  return known(await run(second))
}

const isMissing = (error: unknown) => isStorageError(error) && error.code === 'STORAGE_OBJECT_MISSING'

async function* readEither([first, second]: [Storage, Storage], read: (store: Storage) => AsyncIterable<Uint8Array>) {
  let fault: unknown
  let began = false
  try {
    for await (const part of read(first)) {
      began = true
      yield part
    }
    return
  } catch (error) {
    if (began || !isStorageError(error)) throw error
    fault = error
  }
  try {
    yield* read(second)
  } catch (error) {
    throw isMissing(error) ? fault : error
  }
}

async function* union<T>(stores: [Storage, Storage], items: (store: Storage) => AsyncIterable<T>, keyOf: (item: T) => string) {
  const seen = new Set<string>()
  for (const store of stores)
    for await (const item of items(store)) {
      if (seen.has(keyOf(item))) continue
      seen.add(keyOf(item))
      yield item
    }
}
