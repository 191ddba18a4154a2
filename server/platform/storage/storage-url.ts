/** Where an S3 store keeps this installation's objects. */
export interface StorageLocation {
  bucket: string
  /** Prefix of every key in the bucket. Empty, or ends with `/`. */
  prefix: string
  /** Address of the store; undefined: AWS in the region. */
  endpoint: string | undefined
  region: string
  /** Whether requests name the bucket in the path, not in the host name. */
  pathStyle: boolean
  /** Largest part number of a multipart upload: 10,000 by definition, 1,000 in a default Swift. */
  partLimit: number
  /** Whether the store refuses parts of different sizes, as Cloudflare R2 does. */
  equalParts: boolean
  /** Where anyone can read the objects below the bucket's prefix. Undefined: nowhere. */
  publicUrl?: string
}

const FORM = 's3://bucket/prefix?endpoint=…&region=…&pathStyle=true'
const PARAMETERS = ['endpoint', 'region', 'pathStyle', 'partLimit', 'equalParts', 'publicUrl']

/**
 * Parses a STORAGE_URL. Path style is the default with an endpoint, because few endpoints besides AWS resolve the bucket's name. Throws an
 * Error for the operator that never repeats the URL, which may hold a secret by mistake.
 */
export function parseStorageUrl(text: string): StorageLocation {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 's3:') throw new Error(`Must have the form ${FORM}.`)
  if (url.username || url.password)
    throw new Error('Must not contain credentials. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or use the role of the machine.')
  const bucket = url.hostname
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket))
    throw new Error('Must name a bucket of 3 to 63 letters, digits, dots and hyphens.')
  const names = url.pathname.split('/').filter(Boolean)
  if (!names.every((name) => /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(name)))
    throw new Error('The prefix may contain letters, digits, dots, hyphens, underscores and slashes only.')
  const unknown = [...url.searchParams.keys()].find((name) => !PARAMETERS.includes(name))
  if (unknown !== undefined) throw new Error(`Has an unknown parameter. Use only ${PARAMETERS.join(', ')}.`)
  const endpoint = readAddress(url, 'endpoint')
  const publicUrl = readAddress(url, 'publicUrl')
  const partLimit = Number(url.searchParams.get('partLimit') ?? 10_000)
  if (!Number.isInteger(partLimit) || partLimit < 100 || partLimit > 10_000)
    throw new Error('partLimit must be a number from 100 to 10000.')
  return {
    bucket,
    prefix: names.map((name) => `${name}/`).join(''),
    endpoint,
    region: url.searchParams.get('region') || 'us-east-1',
    pathStyle: readSwitch(url, 'pathStyle') ?? endpoint !== undefined,
    partLimit,
    equalParts: readSwitch(url, 'equalParts') ?? false,
    ...(publicUrl && { publicUrl }),
  }
}

function readSwitch(url: URL, name: string): boolean | undefined {
  const text = url.searchParams.get(name)
  if (text !== null && text !== 'true' && text !== 'false') throw new Error(`${name} must be true or false.`)
  return text === null ? undefined : text === 'true'
}

function readAddress({ searchParams }: URL, name: string): string | undefined {
  const text = searchParams.get(name)
  if (!text) return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username || url.search)
    throw new Error(`${name} must be an address such as https://s3.example.com.`)
  return text.replace(/(?<!\/)\/+$/, '')
}
