// What `reelgate import` reads: a CSV file, or the objects below a prefix of a bucket.
import { readFileSync } from 'node:fs'
import { Stop } from './stop.mjs'

const FIELDS = ['url', 'title', 'description', 'externalId', 'targetQuality']

/** CSV of Unix, of Windows and of old Macs, also mixed. */
const LINE_ENDS = ['\r\n', '\n', '\r']

/** Returns the rows of CSV (RFC 4180) with the line that each begins in. Errors: Stop with the line of what is wrong. */
async function parseCsv(text) {
  const { parse } = await loadParser()
  const [firstLine = ''] = text.split(/[\r\n]/, 1)
  // Excel separates with semicolons, or tabs, where the comma is the decimal sign.
  const delimiter = (!isUrl(firstLine) && [',', ';', '\t'].find((one) => firstLine.includes(one))) || ','
  const lines = text.split(/\r\n|\n|\r/)
  let ended = 0
  /** Returns the line in which the row after the last one begins. */
  const begins = () => {
    let at = ended
    while (at < lines.length - 1 && lines[at].trim() === '') at++
    return at + 1
  }
  const rows = []
  const onRecord = (record, { lines: last }) => {
    if (record.some((value) => value.trim() !== '')) rows.push({ values: record, line: begins() })
    ended = last
    return null
  }
  try {
    parse(text, { delimiter, record_delimiter: LINE_ENDS, relax_column_count: true, skip_empty_lines: true, on_record: onRecord })
    return rows
  } catch (error) {
    throw error.code in PROBLEMS ? new Stop(`line ${begins()}: ${PROBLEMS[error.code]}`) : error
  }
}

const isUrl = (text) => /^\s*"?[a-z]+:\/\//i.test(text)
const lineBreaks = (value) => value.match(/\r\n|\n|\r/g)?.length ?? 0

const QUOTES = 'Put a value that contains quotation marks in quotation marks, and double the ones within it.'
const PROBLEMS = {
  CSV_QUOTE_NOT_CLOSED: `a quoted value starts here and never ends. ${QUOTES}`,
  INVALID_OPENING_QUOTE: `a value contains a quotation mark but does not start with one. ${QUOTES}`,
  CSV_INVALID_CLOSING_QUOTE: `a value continues after its closing quotation mark. ${QUOTES}`,
}

/** The parser that is packed with this package; a checkout has it after a build. */
async function loadParser() {
  return await import('../dist/csv-parse.js').catch((error) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new Stop('The client is not built. In a checkout of Reelgate, run: npm run build')
  })
}

/** Returns the items of a CSV file: with a header of field names, or one URL a line. Errors: Stop, and nothing was imported. */
export async function itemsOfCsv(file) {
  try {
    return itemsOf(await parseCsv(readText(file)))
  } catch (error) {
    throw new Stop(error instanceof Stop ? `${file}: ${error.message}` : `${file} cannot be read: ${error.message}`)
  }
}

function itemsOf(rows) {
  const hasHeader = !isUrl(rows[0]?.values[0] ?? '')
  const names = hasHeader ? (rows.shift()?.values ?? []).map((name) => name.trim()) : ['url']
  const wrong = names.filter((name, at) => !FIELDS.includes(name) || names.indexOf(name) !== at)
  if (!names.includes('url') || wrong.length > 0)
    throw new Stop(
      `the first line must name the columns ${FIELDS.join(', ')}, each once; url is required.${wrong.length ? ` Not: ${wrong}.` : ''}`,
    )
  const lines = new Map()
  return rows.map(({ values, line }) => {
    if (values.length !== names.length) throw new Stop(`line ${line}: ${countProblem(values.length, names.length)}`)
    const pairs = names.map((name, index) => [name, values[index].trim()]).filter(([, value]) => value)
    for (const [name, value] of pairs) refuseRows(name, value, line)
    const fields = Object.fromEntries(pairs)
    // The service compares external IDs in NFC.
    const key = fields.externalId?.normalize() ?? fields.url ?? ''
    if (key && lines.has(key))
      throw new Stop(`line ${line}: the ${fields.externalId ? 'externalId' : 'url'} ${shown(key)} is already on line ${lines.get(key)}.`)
    lines.set(key, line)
    return { key, label: fields.title ?? shown(fields.url), fields: async () => fields }
  })
}

const countProblem = (values, columns) =>
  values > columns
    ? `more values than the ${columns === 1 ? 'one column' : `${columns} columns`}. Enclose a value that contains the separator in quotation marks.`
    : `${values === 1 ? 'one value' : `${values} values`} for ${columns} columns. Leave nothing between the separators of an empty value.`

/** Refuses a value that swallowed rows, because a quotation mark was not closed in its line. */
function refuseRows(name, value, line) {
  if (lineBreaks(value) === 0) return
  if (name !== 'description') throw new Stop(`line ${line}: the ${name} contains a line break. Check its quotation marks.`)
  if (value.split(/[\r\n]+/).some((text) => /^"?[a-z]+:\/\/[^\s,;"]+"?[,;\t]/i.test(text.trim())))
    throw new Stop(`line ${line}: the description contains lines that look like rows. Check its quotation marks.`)
}

/**
 * Returns the text of a file in UTF-8, or in UTF-16 with a byte order mark. Errors: Stop with the first line that is in neither, and those of
 * the file system.
 */
export function readText(file) {
  const bytes = readFileSync(file)
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8'
  const decode = (part) => new TextDecoder(encoding, { fatal: true }).decode(part)
  try {
    const text = decode(bytes)
    if (!text.includes('\0')) return text
  } catch {
    // Another encoding; the line is found below.
  }
  const line = encoding === 'utf-8' ? 1 + linesBefore(bytes, decode) : 1
  throw new Stop(`line ${line} is not UTF-8 text. Save the file as UTF-8; in Excel, as “CSV UTF-8”.`)
}

/** Returns the number of lines before the first that cannot be decoded. */
function linesBefore(bytes, decode) {
  for (let start = 0, line = 0; ; line++) {
    const end = bytes.indexOf(0x0a, start)
    try {
      if (decode(bytes.subarray(start, end === -1 ? undefined : end)).includes('\0')) return line
    } catch {
      return line
    }
    if (end === -1) return 0
    start = end + 1
  }
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
