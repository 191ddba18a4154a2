import { s3Client } from './s3-client.ts'
import { asStorageError, isMissing } from './s3-errors.ts'
import { isStorageError } from './storage-error.ts'
import { checkKey, checkPrefix } from './storage-port.ts'

/** An object that is being sent in parts. */
export interface Multipart {
  key: string
  /** The store's ID for it. */
  storeId: string
}

/** S3's minimum size of every part but the last. */
export const MIN_PART_BYTES = 5 * 1024 ** 2

/** Starts an object in parts. Returns the store's ID for it. */
export async function beginMultipart(key: string): Promise<string> {
  const { sdk, client, bucket, prefix } = await s3Client()
  const input = { Bucket: bucket, Key: prefix + checkKey(key), ContentType: 'application/octet-stream' }
  const { UploadId } = await client.send(new sdk.CreateMultipartUploadCommand(input)).catch(refuse)
  if (!UploadId) throw asStorageError(new Error('the store returned no ID for the multipart upload'))
  return UploadId
}

/** Stores one part, numbered 1 to 10,000. Returns its ETag, which `finishMultipart` needs. */
export async function putPart(of: Multipart, number: number, content: Uint8Array): Promise<string> {
  const { sdk, client, where } = await located(of)
  const input = { ...where, PartNumber: number, Body: content, ContentLength: content.byteLength }
  const { ETag } = await client.send(new sdk.UploadPartCommand(input)).catch(refuse)
  if (!ETag) throw asStorageError(new Error('the store returned no ETag for a part'))
  return ETag
}

/**
 * Assembles these parts, in ascending order, into the object, and discards the others. Rejects with STORAGE_OBJECT_MISSING if it is no
 * longer unfinished.
 */
export async function finishMultipart(of: Multipart, parts: { number: number; etag: string }[]): Promise<void> {
  const { sdk, client, where } = await located(of)
  const Parts = parts.map(({ number, etag }) => ({ PartNumber: number, ETag: etag }))
  await client.send(new sdk.CompleteMultipartUploadCommand({ ...where, MultipartUpload: { Parts } })).catch(refuse)
}

/** Discards an unfinished object and its parts. Not an error if it is not unfinished. */
export async function abortMultipart(of: Multipart): Promise<void> {
  const { sdk, client, where } = await located(of)
  await client.send(new sdk.AbortMultipartUploadCommand(where)).catch((error) => {
    if (!isMissing(error)) throw asStorageError(error)
  })
}

/** Lists unfinished objects whose keys start with `prefix`, and when each was started. */
export async function* listMultiparts(prefix: string): AsyncGenerator<Multipart & { since: Date }> {
  const s3 = await s3Client()
  const input = { Bucket: s3.bucket, Prefix: s3.prefix + checkPrefix(prefix) }
  for (let marker: { KeyMarker?: string; UploadIdMarker?: string } = {}; ; ) {
    const page = await s3.client.send(new s3.sdk.ListMultipartUploadsCommand({ ...input, ...marker })).catch(refuse)
    for (const { Key = '', UploadId = '', Initiated } of page.Uploads ?? [])
      if (Initiated) yield { key: Key.slice(s3.prefix.length), storeId: UploadId, since: Initiated }
    if (!page.IsTruncated || !page.NextKeyMarker) return
    marker = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
  }
}

async function located({ key, storeId }: Multipart) {
  const { sdk, client, bucket, prefix } = await s3Client()
  return { sdk, client, where: { Bucket: bucket, Key: prefix + checkKey(key), UploadId: storeId } }
}

const refuse = (error: unknown) => Promise.reject(asStorageError(error))

/** Returns whether the store has discarded or finished an unfinished object. */
export const isDiscarded = (error: unknown): boolean =>
  isStorageError(error) && error.code === 'STORAGE_OBJECT_MISSING' && (error.cause as Partial<Error> | undefined)?.name === 'NoSuchUpload'
