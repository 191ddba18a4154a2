import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { S3 } from './s3-client.ts'
import { asStorageError, isMissing } from './s3-errors.ts'
import { StorageError } from './storage-error.ts'
import { checkKey, checkPrefix, type ListedObject, type LocalFile, type ObjectHeaders, type Storage } from './storage-port.ts'

/** Size of one part of a large object. Larger if the object would otherwise have more parts than this share of the store's limit. */
const PART = 16 * 1024 ** 2
const USED_PARTS = 0.9
/** How many parts of an object are sent at once. Each is in memory. */
const PARTS_AT_ONCE = 4
/** Objects listed or deleted per request: the most that S3 allows. */
const PAGE = 1_000
/** How often reading resumes where a connection broke. */
const RESUMPTIONS = 3
/** Metadata of an object stored from a file: its SHA-256, in hexadecimal. The ETag of a multipart object is not a hash of its content. */
const HASH = 'sha256'
/** Unfinished originals belong to the clients sending them (server/modules/uploads), which may take days. */
const UPLOADS = 'sources/'

/** What `localFile` needs to fetch an object and to recognize a fetched one. */
export interface RemoteObject {
  key: string
  bytes: number
  etag: string
  /** Hash of its content, if the store knows one. */
  hash: { algorithm: 'sha256' | 'md5'; hex: string } | undefined
}

/** Fetches an object into a local file, or finds it there. */
export type Fetch = (object: RemoteObject, read: () => AsyncIterable<Uint8Array>, signal: AbortSignal | undefined) => Promise<LocalFile>

/** Returns the part size for an object of `size` bytes. */
export const partBytes = (size: number, { partLimit }: Pick<S3, 'partLimit'>): number =>
  Math.max(PART, Math.ceil(size / (partLimit * USED_PARTS)))

interface Options {
  connect: () => Promise<S3>
  fetch: Fetch
  /** Checks that a store responds and is the expected one. */
  check: (store: Storage) => Promise<void>
  pageSize?: number
}

/** Stores objects in an S3 bucket. Relies on neither conditional writes nor checksum trailers, which not every engine has. */
export function s3Storage({ connect, fetch, check, pageSize = PAGE }: Options): Storage {
  const at = (s3: S3, key: string) => ({ Bucket: s3.bucket, Key: s3.prefix + checkKey(key) })

  async function head(key: string): Promise<RemoteObject | undefined> {
    const s3 = await connect()
    const found = await s3.client.send(new s3.sdk.HeadObjectCommand(at(s3, key))).catch((error) => {
      if (isMissing(error)) return undefined
      throw asStorageError(error)
    })
    if (!found) return undefined
    const etag = found.ETag ?? ''
    const sha256 = found.Metadata?.[HASH]
    const md5 = found.ServerSideEncryption ? undefined : /^"?([0-9a-f]{32})"?$/.exec(etag)?.[1]
    const hash = sha256 ? { algorithm: HASH as 'sha256', hex: sha256 } : md5 ? { algorithm: 'md5' as const, hex: md5 } : undefined
    return { key, bytes: found.ContentLength ?? 0, etag, hash }
  }

  async function* read(key: string, range?: { start: number; end: number }): AsyncGenerator<Uint8Array> {
    const s3 = await connect()
    const where = at(s3, key)
    let next = range?.start ?? 0
    let etag: string | undefined
    for (let attempt = 0; ; attempt++) {
      const Range = range || next > 0 ? `bytes=${next}-${range?.end ?? ''}` : undefined
      const IfMatch = etag
      const found = await s3.client
        .send(new s3.sdk.GetObjectCommand({ ...where, ...(Range && { Range }), ...(IfMatch && { IfMatch }) }))
        .catch((error) => Promise.reject(asStorageError(error)))
      etag ??= found.ETag
      const body = found.Body as Readable
      let finished = false
      try {
        for await (const part of body as AsyncIterable<Uint8Array>) {
          next += part.length
          yield part
        }
        finished = true
        return
      } catch (error) {
        finished = true
        if (attempt >= RESUMPTIONS) throw asStorageError(error)
      } finally {
        // The reader stopped early, so the rest must not be received.
        if (!finished) body.destroy()
      }
    }
  }

  async function* listSizes(prefix: string): AsyncGenerator<ListedObject> {
    const s3 = await connect()
    const input = { Bucket: s3.bucket, Prefix: s3.prefix + checkPrefix(prefix) }
    const pages = s3.sdk.paginateListObjectsV2({ client: s3.client, pageSize }, input)[Symbol.asyncIterator]()
    for (;;) {
      const page = await pages.next().catch((error) => Promise.reject(asStorageError(error)))
      if (page.done) return
      for (const { Key = '', Size = 0, LastModified = new Date() } of page.value.Contents ?? [])
        yield { key: Key.slice(s3.prefix.length), bytes: Size, storedAt: LastModified }
    }
  }

  async function deleteAll(s3: S3, keys: string[]): Promise<void> {
    const Objects = keys.map((key) => ({ Key: s3.prefix + key }))
    const command = new s3.sdk.DeleteObjectsCommand({ Bucket: s3.bucket, Delete: { Objects, Quiet: true } })
    // Engines other than AWS require this header, which the SDK no longer sends.
    command.middlewareStack.add(
      (send) => (args) => {
        const request = args.request as { headers: Record<string, string>; body: string | Uint8Array }
        request.headers['content-md5'] = createHash('md5').update(request.body).digest('base64')
        return send(args)
      },
      { step: 'build', name: 'contentMd5' },
    )
    const { Errors = [] } = await s3.client.send(command).catch((error) => Promise.reject(asStorageError(error)))
    const [refused] = Errors.filter(({ Code }) => Code !== 'NoSuchKey')
    if (refused) throw new StorageError('STORAGE_UNAVAILABLE', { message: `The store did not delete ${refused.Key}: ${refused.Code}.` })
  }

  const store: Storage = {
    async put(key, content, headers) {
      const s3 = await connect()
      const input = { ...at(s3, key), Body: content, ContentLength: content.byteLength, ...headersOf(headers) }
      await s3.client.send(new s3.sdk.PutObjectCommand(input)).catch((error) => Promise.reject(asStorageError(error)))
    },

    async putFile(key, path, headers) {
      const s3 = await connect()
      const where = at(s3, key)
      const file = await open(/* turbopackIgnore: true */ path, 'r')
      try {
        const { size } = await file.stat()
        const hash = createHash('sha256')
        await pipeline(file.createReadStream({ start: 0, autoClose: false }), hash)
        const { Upload } = await import('@aws-sdk/lib-storage')
        const Body = file.createReadStream({ start: 0, autoClose: false })
        const params = { ...where, Body, ContentLength: size, Metadata: { [HASH]: hash.digest('hex') }, ...headersOf(headers) }
        const upload = new Upload({ client: s3.client, params, partSize: partBytes(size, s3), queueSize: PARTS_AT_ONCE })
        await upload.done().catch((error) => Promise.reject(asStorageError(error)))
      } finally {
        await file.close()
      }
    },

    read,

    async stat(key) {
      const found = await head(key)
      return found && { bytes: found.bytes }
    },

    async delete(key) {
      const s3 = await connect()
      await s3.client.send(new s3.sdk.DeleteObjectCommand(at(s3, key))).catch((error) => {
        if (!isMissing(error)) throw asStorageError(error)
      })
    },

    async deletePrefix(prefix) {
      const s3 = await connect()
      let keys: string[] = []
      for await (const { key } of listSizes(prefix)) {
        if (keys.push(key) < pageSize) continue
        await deleteAll(s3, keys)
        keys = []
      }
      if (keys.length > 0) await deleteAll(s3, keys)
    },

    async *list(prefix) {
      for await (const { key } of listSizes(prefix)) yield key
    },

    listSizes,

    async localFile(key, signal) {
      const object = await head(key)
      if (!object) throw new StorageError('STORAGE_OBJECT_MISSING')
      return fetch(object, () => read(key), signal)
    },

    async sweep(olderThanMs) {
      const s3 = await connect()
      const { bucket, prefix, sdk, client } = s3
      const { Uploads = [] } = await client
        .send(new sdk.ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix }))
        .catch((error) => Promise.reject(asStorageError(error)))
      for (const { Key = '', UploadId, Initiated } of Uploads) {
        const isOld = Initiated && Date.now() - Initiated.getTime() > olderThanMs
        if (!isOld || !UploadId || Key.startsWith(prefix + UPLOADS)) continue
        await client.send(new sdk.AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId })).catch((error) => {
          // Finished or aborted in the meantime.
          if (!isMissing(error)) throw asStorageError(error)
        })
      }
    },

    check: () => check(store),
  }
  return store
}

const headersOf = (headers: ObjectHeaders | undefined) => ({
  ContentType: headers?.contentType ?? 'application/octet-stream',
  ...(headers?.cacheControl && { CacheControl: headers.cacheControl }),
})
