/** First and last byte, both inclusive, as in HTTP. */
export interface ByteRange {
  start: number
  end: number
}

/** HTTP headers that an object store sends with an object when clients read it directly. The disk ignores them. */
export interface ObjectHeaders {
  contentType: string
  cacheControl?: string
}

/** An object in a list. For a stored file, the time may be when it was last written to. */
export interface ListedObject {
  key: string
  bytes: number
  storedAt: Date
}

/** An object as a local file, which may be removed after `release`. */
export interface LocalFile {
  path: string
  release(): Promise<void>
}

/**
 * Stores media bytes. Keys are `/`-separated names; only an implementation uses files or buckets. An object is visible completely or not at
 * all, and replacing one is atomic. An unresponsive store and a missing object reject with a StorageError (storage-error.ts).
 */
export interface Storage {
  put(key: string, content: Uint8Array, headers?: ObjectHeaders): Promise<void>
  /** Stores the content of a finished local file, which must not be written to afterwards. The file stays. */
  putFile(key: string, path: string, headers?: ObjectHeaders): Promise<void>
  /** Returns the bytes, opened only on the first read; missing keys fail then. A chunk may be overwritten once the next is requested. */
  read(key: string, range?: ByteRange): AsyncIterable<Uint8Array>
  stat(key: string): Promise<{ bytes: number } | undefined>
  /** Deletes an object. Not an error if it is missing. */
  delete(key: string): Promise<void>
  /** Deletes every object whose key starts with `prefix`, which ends with `/`. */
  deletePrefix(prefix: string): Promise<void>
  /** Lists keys that start with `prefix` (which ends with `/`), in no order. */
  list(prefix: string): AsyncIterable<string>
  /** Lists keys as `list` does, with each object's size in bytes and roughly when it was stored. */
  listSizes(prefix: string): AsyncIterable<ListedObject>
  /** Provides the object as a local file for programs that need one. Call `release` when done. `signal` ends the fetch. */
  localFile(key: string, signal?: AbortSignal): Promise<LocalFile>
  /** Removes what interrupted writes left behind more than `olderThanMs` ago. */
  sweep(olderThanMs: number): Promise<void>
  /** Checks with one cheap request that the store responds and belongs to this installation. Rejects with a StorageError within 5 s. */
  check(): Promise<void>
}

const NAME = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/

/** Returns a valid key. Refuses every key with a special meaning in a file system or a bucket: no `..`, no hidden names, no empty parts. */
export function checkKey(key: string): string {
  if (key.length > 512 || !key.split('/').every((name) => NAME.test(name))) throw new Error('This is not a valid storage key.')
  return key
}

export function checkPrefix(prefix: string): string {
  if (!prefix.endsWith('/')) throw new Error('A storage prefix must end with a slash.')
  checkKey(prefix.slice(0, -1))
  return prefix
}
