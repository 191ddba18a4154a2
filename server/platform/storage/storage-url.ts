/** Where an S3 store keeps the objects of this installation. */
export interface StorageLocation {
  bucket: string
  /** Begins every key in the bucket; empty, or ends with `/`. */
  prefix: string
  /** Undefined: that of AWS for the region. */
  endpoint: string | undefined
  region: string
  /** Whether requests name the bucket in the path and not in the host name. */
  pathStyle: boolean
}

const FORM = 's3://bucket/prefix?endpoint=…&region=…&pathStyle=true'
const PARAMETERS = ['endpoint', 'region', 'pathStyle']

/**
 * Returns the location that a STORAGE_URL names. Path style is the default with an endpoint, because few endpoints other than that of AWS
 * resolve the bucket's name. Throws an Error for the operator, which never repeats the URL: it may hold a secret by mistake.
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
  if (unknown !== undefined) throw new Error(`Has an unknown parameter. Known are ${PARAMETERS.join(', ')}.`)
  const endpoint = readEndpoint(url.searchParams.get('endpoint'))
  const pathStyle = url.searchParams.get('pathStyle')
  if (pathStyle !== null && pathStyle !== 'true' && pathStyle !== 'false') throw new Error('pathStyle must be true or false.')
  return {
    bucket,
    prefix: names.map((name) => `${name}/`).join(''),
    endpoint,
    region: url.searchParams.get('region') || 'us-east-1',
    pathStyle: pathStyle === null ? endpoint !== undefined : pathStyle === 'true',
  }
}

function readEndpoint(text: string | null): string | undefined {
  if (!text) return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username || url.search)
    throw new Error('endpoint must be an address such as https://s3.example.com.')
  return text.replace(/(?<!\/)\/+$/, '')
}
