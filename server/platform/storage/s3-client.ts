import type { S3Client } from '@aws-sdk/client-s3'
import { env } from '../config/config.ts'
import { services } from '../container.ts'
import type { StorageLocation } from './storage-url.ts'

/** The SDK, this process's client, and where its objects are. */
export interface S3 extends StorageLocation {
  sdk: typeof import('@aws-sdk/client-s3')
  client: S3Client
}

declare module '../container.ts' {
  interface Services {
    /** By the location's text. A process has one, and a command that copies between stores two. */
    s3Clients: Map<string, Promise<S3>>
  }
}

/** Returns the bucket of STORAGE_URL. Undefined if media is on a disk. */
export function storageLocation(): StorageLocation | undefined {
  const { STORAGE_URL } = env()
  return STORAGE_URL && 'bucket' in STORAGE_URL ? STORAGE_URL : undefined
}

/** Connections to the store. Each viewer served through this process holds one while the store sends. */
const CONNECTIONS = 500
const CONNECT_MS = 3_000
/** Longest pause of the store while it receives or sends. */
const IDLE_MS = 30_000
const ATTEMPTS = 4

/** Returns the client of a location, by default STORAGE_URL. Loads the SDK on first use, so that it costs no memory without S3. */
export function s3Client(location: StorageLocation | undefined = storageLocation()): Promise<S3> {
  if (!location) throw new Error('STORAGE_URL names no bucket: this installation stores media on a disk.')
  const clients = services().s3Clients
  const id = JSON.stringify(location)
  const known = clients.get(id) ?? connect(location)
  clients.set(id, known)
  return known
}

/** Credentials come from the SDK's default chain: AWS_* variables, its files, or the machine's role. */
async function connect(location: StorageLocation): Promise<S3> {
  const sdk = await import('@aws-sdk/client-s3')
  const { endpoint, region, pathStyle } = location
  const agent = { keepAlive: true, maxSockets: CONNECTIONS }
  const client = new sdk.S3Client({
    ...(endpoint === undefined ? {} : { endpoint }),
    region,
    forcePathStyle: pathStyle,
    maxAttempts: ATTEMPTS,
    // Signatures cover the SHA-256 of each body. Trailing checksums add nothing to that, and some stores refuse them.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: CONNECT_MS, socketTimeout: IDLE_MS, httpAgent: agent, httpsAgent: agent },
  })
  return { ...location, sdk, client }
}
