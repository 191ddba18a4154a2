const MESSAGES = {
  /** The store does not respond, refuses the credentials, or is not the expected one. Another attempt may succeed. */
  STORAGE_UNAVAILABLE: 'The media storage is unavailable.',
  /** The store responds and has no such object. */
  STORAGE_OBJECT_MISSING: 'The media storage has no such object.',
  /** The store, or a quota in it, is full. */
  STORAGE_FULL: 'The media storage is full.',
} as const
export type StorageErrorCode = keyof typeof MESSAGES

/** A fault of the storage, not of an object's content. The message is for the operator. */
export class StorageError extends Error {
  readonly code: StorageErrorCode
  constructor(code: StorageErrorCode, { message = MESSAGES[code], cause }: { message?: string; cause?: unknown } = {}) {
    super(message, { cause })
    this.name = 'StorageError'
    this.code = code
  }
}

/**
 * Returns whether an error, or a cause of it, is a StorageError. Compares the name, since two module graphs can hold two copies of the
 * class.
 */
export function isStorageError(error: unknown): error is StorageError {
  return error instanceof Error && (error.name === 'StorageError' || isStorageError(error.cause))
}

/** Returns whether an error says that a disk cannot read part of a file, as in a bad sector: the content is lost, other files are not. */
export function isUnreadable(error: unknown): boolean {
  const { code, syscall } = error as NodeJS.ErrnoException
  return code === 'EIO' && syscall === 'read'
}
