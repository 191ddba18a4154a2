// What `reelgate import` reads: a CSV file, or the objects below a prefix of a bucket.
import { readFileSync } from 'node:fs'
import { Stop } from './stop.mjs'

const FIELDS = ['url', 'title', 'description', 'externalId', 'targetQuality']

/** Splits CSV (RFC 4180) into rows of texts. */
export function parseCsv(text) {
  const rows = [['']]
  let quoted = false
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    const row = rows.at(-1)
    if (quoted && char === '"' && text[at + 1] === '"') row[row.length - 1] += text[++at]
    else if (char === '"') quoted = !quoted
    else if (char === ',' && !quoted) row.push('')
    else if (char === '\n' && !quoted) rows.push([''])
    else if (char !== '\r' || quoted) row[row.length - 1] += char
  }
  if (quoted) throw new Stop('The CSV file ends within a quoted value.')
  return rows.filter((row) => row.some((value) => value.trim() !== ''))
}

/** Returns the items of a CSV file: with a header of field names, or one URL a line. */
export function itemsOfCsv(file) {
  let rows
  try {
    rows = parseCsv(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''))
  } catch (error) {
    throw error instanceof Stop ? error : new Stop(`${file} cannot be read: ${error.message}`)
  }
  const hasHeader = !/^[a-z]+:\/\//i.test(rows[0]?.[0] ?? '')
  const names = hasHeader ? (rows.shift() ?? []).map((name) => name.trim()) : ['url']
  const unknown = names.filter((name) => !FIELDS.includes(name))
  if (!names.includes('url') || unknown.length > 0)
    throw new Stop(
      `${file}: the first line must name the columns ${FIELDS.join(', ')}; url is required.${unknown.length ? ` Not: ${unknown}.` : ''}`,
    )
  return rows.map((row) => {
    const pairs = names.map((name, index) => [name, row[index]?.trim()]).filter(([, value]) => value)
    const fields = Object.fromEntries(pairs)
    return { key: fields.externalId ?? fields.url ?? '', label: fields.title ?? shown(fields.url), fields: async () => fields }
  })
}

/** A URL without its query, which may hold a signature. */
const shown = (url = '(no URL)') => url.split('?', 1)[0]

/** Seconds for which the service may begin to read an object. */
const SIGNED_SEC = 6 * 3600

/**
 * Returns the items of `s3://bucket/prefix`. Credentials, region and endpoint come from the environment, as for every AWS tool. Each URL is
 * signed when its import begins.
 */
export async function itemsOfBucket(address) {
  const { hostname: bucket, pathname } = new URL(address)
  const prefix = decodeURIComponent(pathname.slice(1))
  const { S3Client, ListObjectsV2Command, GetObjectCommand, getSignedUrl } = await loadS3()
  const client = new S3Client({ forcePathStyle: Boolean(process.env.AWS_ENDPOINT_URL_S3 ?? process.env.AWS_ENDPOINT_URL) })
  const items = []
  for (let token; ; ) {
    const page = await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, ContinuationToken: token }))
    for (const { Key: key, Size: size } of page.Contents ?? []) {
      if (size === 0) continue
      const url = () => getSignedUrl(client, new GetObjectCommand({ Bucket: bucket, Key: key }), { expiresIn: SIGNED_SEC })
      const title = key.slice(key.lastIndexOf('/') + 1).replace(/\.[^.]+$/, '')
      items.push({ key: `s3://${bucket}/${key}`, label: key, fields: async () => ({ url: await url(), title }) })
    }
    token = page.NextContinuationToken
    if (!token) return items
  }
}

/** Loads the library for S3, which this package does not bring: only this command needs it. */
async function loadS3() {
  try {
    const [s3, presigner] = await Promise.all([import('@aws-sdk/client-s3'), import('@aws-sdk/s3-request-presigner')])
    return { ...s3, getSignedUrl: presigner.getSignedUrl }
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new Stop('To read a bucket, install its library: npm install @aws-sdk/client-s3 @aws-sdk/s3-request-presigner')
  }
}
