import { createHash, randomBytes } from 'node:crypto'
import { s3Client, storageLocation } from './s3-client.ts'
import { storage } from './storage.ts'

/** Result of one step of a check, in words for the operator. */
export interface TriedStep {
  step: string
  /** Undefined if it worked. */
  fault: string | undefined
  /** What else it found. */
  note?: string
}

const KEY = 'checks/probe'
const BYTES = 300_000

/**
 * Stores, reads and deletes an object as the service does, and reads the bucket's CORS rules. Reports each step and never throws. If the
 * store does not respond, skips the rest.
 */
export async function* tryStorage(): AsyncGenerator<TriedStep> {
  const store = storage()
  const content = randomBytes(BYTES)
  const key = `${KEY}-${randomBytes(6).toString('hex')}`
  const read = async (range?: { start: number; end: number }) => {
    const parts: Buffer[] = []
    for await (const part of store.read(key, range)) parts.push(Buffer.from(part))
    return Buffer.concat(parts)
  }
  const responds = await tried('responds', () => store.check())
  yield responds
  if (responds.fault !== undefined) return
  yield tried('stores an object', () => store.put(key, content, { contentType: 'application/octet-stream' }))
  yield tried('returns it unchanged', async () => same(await read(), content))
  yield tried('returns a range of it', async () => same(await read({ start: 1_000, end: 1_999 }), content.subarray(1_000, 2_000)))
  yield tried('lists it', async () => {
    for await (const listed of store.list('checks/')) if (listed === key) return
    throw new Error('it is not in the list')
  })
  yield tried('deletes it', async () => {
    await store.delete(key)
    if (await store.stat(key)) throw new Error('it still exists')
  })
  if (storageLocation()) yield cors()
}

async function tried(step: string, run: () => Promise<void>): Promise<TriedStep> {
  return run().then(
    () => ({ step, fault: undefined }),
    (error: Error) => ({ step, fault: error.message }),
  )
}

function same(found: Buffer, expected: Buffer): void {
  const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
  if (found.length !== expected.length || hash(found) !== hash(expected)) throw new Error('the content differs')
}

/** What browsers need to play segments from a bucket whose origin is not the player's. */
const CORS_RULE = {
  AllowedMethods: ['GET', 'HEAD'],
  AllowedOrigins: ['*'],
  AllowedHeaders: ['Range'],
  ExposeHeaders: ['Content-Length', 'Content-Range', 'ETag'],
  MaxAgeSeconds: 86_400,
}

async function cors(): Promise<TriedStep> {
  const step = 'allows players of other origins (CORS)'
  const { sdk, client, bucket } = await s3Client()
  try {
    const { CORSRules = [] } = await client.send(new sdk.GetBucketCorsCommand({ Bucket: bucket }))
    const allows = CORSRules.some(
      ({ AllowedOrigins = [], AllowedMethods = [] }) => AllowedOrigins.includes('*') && AllowedMethods.includes('GET'),
    )
    return {
      step,
      fault: undefined,
      note: allows ? 'any origin' : 'not every origin; CDN_ORIGIN redirect and direct need it, see --cors',
    }
  } catch (error) {
    const { name, message } = error as Error
    return {
      step,
      fault: undefined,
      note:
        name === 'NoSuchCORSConfiguration'
          ? 'no rules; CDN_ORIGIN redirect and direct need them, see --cors'
          : `unknown (${name}: ${message})`,
    }
  }
}

/** Allows GET from every origin in the bucket of STORAGE_URL. Replaces its CORS rules. */
export async function allowOrigins(): Promise<void> {
  const { sdk, client, bucket } = await s3Client()
  await client.send(new sdk.PutBucketCorsCommand({ Bucket: bucket, CORSConfiguration: { CORSRules: [CORS_RULE] } }))
}
