import { LRUCache } from 'lru-cache'
import { services } from '../container.ts'
import { s3Client } from './s3-client.ts'

/** Presigned URLs of one object stay equal for this long, so that browsers can cache what they point to. */
const STEP_SEC = 600

declare module '../container.ts' {
  interface Services {
    /** By key. */
    presignedUrls: LRUCache<string, { url: string; step: number }>
  }
}

export const makePresignedUrls = () => new LRUCache<string, { url: string; step: number }>({ max: 50_000 })

/** A URL that lets anyone fetch one object, and how many seconds it is certain to stay valid. */
export interface PresignedUrl {
  url: string
  validSec: number
}

/** Returns a presigned URL of an object in STORAGE_URL, which need not exist. */
export async function presignedUrl(key: string): Promise<PresignedUrl> {
  const step = Math.floor(Date.now() / 1_000 / STEP_SEC)
  const known = services().presignedUrls.get(key)
  if (known?.step === step) return { url: known.url, validSec: STEP_SEC }
  const { sdk, client, bucket, prefix } = await s3Client()
  const { getSignedUrl } = await import('@aws-sdk/s3-request-presigner')
  const command = new sdk.GetObjectCommand({ Bucket: bucket, Key: prefix + key })
  const url = await getSignedUrl(client, command, { signingDate: new Date(step * STEP_SEC * 1_000), expiresIn: 2 * STEP_SEC })
  services().presignedUrls.set(key, { url, step })
  return { url, validSec: STEP_SEC }
}
