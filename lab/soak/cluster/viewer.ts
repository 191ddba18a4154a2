import { spawn } from 'node:child_process'
import { createDecipheriv } from 'node:crypto'
import { once } from 'node:events'
import { sequenceIv } from '../../../server/modules/transcoding/encode/segment-store.ts'
import { ffmpegProgram } from '../../../server/platform/ffmpeg/ffmpeg-programs.ts'
import type { Kind, Outcomes, Reply } from './outcomes.ts'
import type { TokenClient } from './token-client.ts'

/** Bytes of a packet of MPEG-TS, each of which begins with 0x47. */
const PACKET = 188

/** Paths of one playback session, in the order in which a player requests them. */
export interface PlaybackPaths {
  exchange: string
  master: string
  media: string
  key: string
  segments: string[]
}

/** Exchanges a token and requests its playlists; resolves with what they name, or undefined after a failure. */
export async function openPlayback(outcomes: Outcomes, token: string): Promise<PlaybackPaths | undefined> {
  const get = async (kind: Kind, path: string) => {
    const reply = await outcomes.ask(kind, path)
    return reply.status === 200 ? reply : undefined
  }
  const exchange = `/v1/video/playback/manifest/${token}`
  const exchanged = await get('exchange', exchange)
  if (!exchanged) return undefined
  const master = pathOf(manifestOf(exchanged))
  const variants = await get('playlist', master)
  if (!variants) return undefined
  const media = resolve(lastVariant(variants), master)
  const list = await get('playlist', media)
  if (!list) return undefined
  const lines = list.body.toString().split('\n')
  const key = /URI="([^"]+)"/.exec(list.body.toString())?.[1] ?? ''
  const segments = lines.filter((line) => line && !line.startsWith('#')).map((line) => resolve(line, media))
  return { exchange, master, media, key: resolve(key, media), segments }
}

/**
 * Plays a video once as a player does: token, exchange, playlists, content key, segments. Checks what it decrypts; ends at the first failure.
 */
export async function playOnce(outcomes: Outcomes, client: TokenClient, videoId: string, { decode = false } = {}): Promise<void> {
  const token = await client.issue(videoId)
  const paths = token && (await openPlayback(outcomes, token))
  if (!paths) return
  const key = await outcomes.ask('key', paths.key)
  if (key.status !== 200) return
  const clear: Buffer[] = []
  for (const [at, path] of paths.segments.entries()) {
    const segment = await outcomes.ask('segment', path)
    if (segment.status !== 200) return
    const packets = decrypt(segment.body, key.body, at)
    if (!packets) return outcomes.addWrong('segment', `segment ${at} of ${videoId} is not MPEG-TS after decryption`)
    clear.push(packets)
  }
  if (!decode) return
  const error = await decodeError(Buffer.concat(clear))
  if (error) outcomes.addWrong('segment', `ffmpeg reports ${error}`)
}

/** Returns the last variant of a master playlist: the lowest rendition. */
const lastVariant = ({ body }: Reply) =>
  body
    .toString()
    .split('\n')
    .findLast((line) => line && !line.startsWith('#')) as string
const manifestOf = ({ body }: Reply) => (JSON.parse(body.toString()) as { data: { masterPlaylistUrl: string } }).data.masterPlaylistUrl

/** Addresses begin with the public URL of the service, which here is the proxy's. */
const pathOf = (url: string) => {
  const { pathname, search } = new URL(url, 'http://localhost')
  return pathname + search
}
const resolve = (reference: string, from: string) => pathOf(new URL(reference, new URL(from, 'http://localhost')).href)

/** Returns the packets of an encrypted segment; undefined when they are not MPEG-TS. */
function decrypt(segment: Buffer, key: Buffer, number: number): Buffer | undefined {
  try {
    const decipher = createDecipheriv('aes-128-cbc', key, sequenceIv(number))
    const clear = Buffer.concat([decipher.update(segment), decipher.final()])
    for (let at = 0; at < clear.length; at += PACKET) if (clear[at] !== 0x47) return undefined
    return clear.length > 0 ? clear : undefined
  } catch {
    // The padding is wrong: another key, or other bytes.
    return undefined
  }
}

/** Decodes a stream; resolves with what ffmpeg complains about, or ''. */
async function decodeError(stream: Buffer): Promise<string> {
  const child = spawn(ffmpegProgram(), ['-v', 'error', '-i', 'pipe:0', '-f', 'null', '-'], { stdio: ['pipe', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (part) => (said += part))
  child.stdin.on('error', () => {})
  child.stdin.end(stream)
  const [code] = await once(child, 'close')
  return code === 0 ? said.trim() : `exit code ${code}: ${said.trim()}`
}
