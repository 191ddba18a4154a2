// Verifies a quality receipt against the source and the segments that it is about: without a connection, with node:crypto and ffmpeg.
import { createDecipheriv, createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { compare, findScorer, x264Settings } from './quality-pictures.mjs'
import { settingsFault } from './quality-settings.mjs'
import { Refused, verifyReceipt } from './verify-receipt.mjs'

const KIND = 'video.quality'
const GOLDEN = (Math.sqrt(5) - 1) / 2
/** Filters that place the pictures of a source in time. None of them reads a file or changes a picture. */
const FILTERS = ['setpts', 'fps', 'tpad', 'trim']

/**
 * Verifies a receipt: its signature, that it is consistent, and what `given` names: `source`, a file; `segments`, a folder with the segments
 * as they are stored or delivered, by their names; `key`, the content key, as a file of 16 bytes or in hexadecimal. With all of them it
 * decodes the pictures and computes their scores again. Returns `{ receipt, faults, checked, unchecked }`, lists of sentences. Errors: Refused.
 */
export async function verifyQuality(file, given) {
  const { receipt } = await verifyReceipt(file, given)
  if (receipt.kind !== KIND || receipt.version !== 1) throw new Refused(`The receipt is of the kind ${receipt.kind}, not ${KIND}.`)
  const report = { receipt, faults: consistencyFaults(receipt), checked: ['the signature'], unchecked: [] }
  if (report.faults.length > 0) return report
  const isSource = await checkSource(receipt, given.source, report)
  const folder = await mkdtemp(join(tmpdir(), 'reelgate-quality-'))
  try {
    await checkSegments(receipt, { ...given, source: isSource ? given.source : undefined, folder }, report)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  return report
}

/** Returns what is contradictory in a receipt. A service that signs what it likes is found here. */
function consistencyFaults({ chunks, renditions, encodings }) {
  const faults = []
  let frame = chunks[0]?.startFrame ?? 0
  for (const [at, chunk] of chunks.entries()) {
    if (chunk.startFrame !== frame) faults.push(`Chunk ${at} begins with picture ${chunk.startFrame} instead of ${frame}.`)
    frame = chunk.startFrame + chunk.frames
    if (chunk.pairs.join() !== pairStarts(chunk.frames).join()) faults.push(`Chunk ${at} names other pictures than the rule selects.`)
    if (!isPlainFilter(chunk.filter)) faults.push(`Chunk ${at} names filters that change pictures: ${chunk.filter}`)
  }
  for (const { quality, bytes, chunks: parts } of renditions) {
    if (parts.length !== chunks.length) faults.push(`${quality} has ${parts.length} chunks instead of ${chunks.length}.`)
    if (sum(parts.map((part) => part.bytes)) !== bytes) faults.push(`The chunks of ${quality} have other bytes than it states.`)
    for (const [at, part] of parts.entries()) {
      const where = `chunk ${at} of ${quality}`
      if (sum(part.segments.map((segment) => segment.bytes)) !== part.bytes)
        faults.push(`The segments of ${where} have other bytes than it states.`)
      const encoding = encodings[part.encoding]
      const fault = encoding ? settingsFault(encoding) : 'it names no encoding'
      if (fault) faults.push(`The arguments of ${where} are not those of its pictures: ${fault}.`)
    }
  }
  return faults
}

const sum = (values) => values.reduce((total, value) => total + value, 0)

/** The rule by which a service selects pictures: a pair of neighbours in each of up to 16 equal spans. */
function pairStarts(frames) {
  const pairs = Math.max(1, Math.min(16, Math.floor(frames / 2)))
  const span = frames / pairs
  return Array.from({ length: pairs }, (_, at) => Math.max(0, Math.floor(at * span + ((at * GOLDEN) % 1) * (span - 2))))
}

function isPlainFilter(text) {
  const names = text
    .replaceAll(/'[^']*'/g, '')
    .split(',')
    .map((filter) => filter.split('=', 1)[0])
  return /^[\w=.,:'()/+*-]+$/.test(text) && names.every((name) => FILTERS.includes(name))
}

async function hashOf(path) {
  const hash = createHash('sha256')
  for await (const part of createReadStream(path)) hash.update(part)
  return hash.digest('hex')
}

/** Returns whether the source is at hand and the one of the receipt. */
async function checkSource(receipt, source, { faults, checked, unchecked }) {
  if (!source) return void unchecked.push('the source: name it with --source FILE')
  const found = await stat(source).catch((error) => {
    throw new Refused(`${source} cannot be read (${error.code}).`)
  })
  const isSame = found.size === receipt.source.bytes && (await hashOf(source)) === receipt.source.sha256
  if (isSame) checked.push('the source')
  else faults.push('The source is another file than the one of the receipt.')
  return isSame
}

/** Returns the paths of the files of a folder by their names without ending. */
async function filesIn(folder) {
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error) => {
    throw new Refused(`${folder} cannot be read (${error.code}).`)
  })
  return new Map(
    found.filter((one) => one.isFile()).map((one) => [basename(one.name).split('.', 1)[0], join(one.parentPath ?? one.path, one.name)]),
  )
}

async function checkSegments(receipt, given, report) {
  const { faults, checked, unchecked } = report
  if (!given.segments) return void unchecked.push('the segments: name their folder with --segments DIR')
  const files = await filesIn(given.segments)
  const key = receipt.encrypted ? await keyOf(given.key) : null
  const scorer = given.source && key !== undefined ? await findScorer(given.ffmpeg) : undefined
  let segments = 0
  let compared = 0
  for (const { quality, chunks, init: stated } of receipt.renditions) {
    const init = stated && (await findInit(stated, files))
    if (stated && !init) {
      faults.push(`The initialization section of ${quality} is missing, or is not the one of the receipt.`)
      continue
    }
    for (const [at, part] of chunks.entries()) {
      const where = `chunk ${at} of ${quality}`
      const bodies = await readSegments(part.segments, files, where, faults)
      segments += bodies?.length ?? 0
      if (!bodies || key === undefined) continue
      const plain = decrypted(bodies, key, receipt.chunks[at].firstSegment)
      if (!plain) {
        faults.push(`The segments of ${where} cannot be decrypted with this key in this place.`)
        continue
      }
      const { embedded } = receipt.encodings[part.encoding]
      if (x264Settings(plain[0]) !== embedded)
        faults.push(`The pictures of ${where} were encoded with other settings than the receipt states.`)
      if (!scorer || !part.vmaf) continue
      await checkScores({ receipt, at, part, plain, init, where, ...given, scorer }, faults)
      compared++
    }
  }
  checked.push(`${segments} segments`)
  if (key === undefined) unchecked.push('pictures: name the content key with --key FILE')
  else checked.push('the settings of the encoder')
  if (compared > 0) checked.push(`the scores of ${compared} chunks of renditions`)
  else if (given.source && key !== undefined && receipt.method && !scorer)
    unchecked.push('scores: no ffmpeg with libvmaf was found, name one with --ffmpeg PATH')
  for (const { quality, notMeasured } of receipt.renditions) if (notMeasured) unchecked.push(`scores of ${quality}: ${notMeasured}`)
}

/** Returns the initialization section of a rendition, by its content: its name says nothing of it. */
async function findInit({ sha256, bytes }, files) {
  for (const path of files.values()) {
    if ((await stat(path)).size !== bytes) continue
    const body = await readFile(path)
    if (createHash('sha256').update(body).digest('hex') === sha256) return body
  }
  return undefined
}

async function readSegments(stated, files, where, faults) {
  const bodies = []
  const before = faults.length
  for (const { sha256, bytes } of stated) {
    const name = sha256.slice(0, 32)
    const path = files.get(name)
    const body = path && (await readFile(path))
    if (!body) faults.push(`Segment ${name} of ${where} is missing.`)
    else if (body.length !== bytes || createHash('sha256').update(body).digest('hex') !== sha256)
      faults.push(`Segment ${name} of ${where} is not the one of the receipt.`)
    else bodies.push(body)
  }
  return faults.length === before ? bodies : undefined
}

/** Returns the content key; undefined when none is given. */
async function keyOf(given) {
  if (!given) return undefined
  const key = /^[0-9a-f]{32}$/i.test(given) ? Buffer.from(given, 'hex') : await readFile(given).catch(() => Buffer.alloc(0))
  if (key.length !== 16) throw new Refused('The content key must be a file of 16 bytes, or 32 hexadecimal digits.')
  return key
}

/** Decrypts segments (AES-128, the media sequence number as IV); undefined when the key or the place is another. */
function decrypted(bodies, key, first) {
  if (!key) return bodies
  try {
    return bodies.map((body, at) => {
      const iv = Buffer.alloc(16)
      iv.writeBigUInt64BE(BigInt(first + at), 8)
      const cipher = createDecipheriv('aes-128-cbc', key, iv)
      return Buffer.concat([cipher.update(body), cipher.final()])
    })
  } catch {
    return undefined
  }
}

async function checkScores({ receipt, at, part, plain, init, where, source, folder, scorer, tolerance }, faults) {
  const found = await compare({ receipt, chunk: receipt.chunks[at], plain, init, source, folder, scorer })
  if (!found) {
    faults.push(`The pictures of ${where} cannot be compared with those of the source.`)
    return
  }
  for (const name of ['mean', 'p5', 'min'])
    if (Math.abs(found[name] - part.vmaf[name]) > tolerance)
      faults.push(`The ${name} of ${where} is ${found[name].toFixed(3)}, and the receipt states ${part.vmaf[name]}.`)
  if (found.pictures !== part.vmaf.pictures)
    faults.push(`${found.pictures} pictures of ${where} could be compared instead of ${part.vmaf.pictures}.`)
}
