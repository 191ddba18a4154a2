import { createDecipheriv } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { ServiceError } from '../../../errors.ts'
import { storage } from '../../../platform/storage/storage.ts'
import { hasStreamKeys, streamKey } from '../../transcoding/encode/content-key.ts'
import { PACKET_BYTES, ptsOf } from '../../transcoding/encode/mpeg-ts.ts'
import { sequenceIv } from '../../transcoding/encode/segment-store.ts'
import { refuseDamaged } from '../../videos/media-faults.ts'
import { requireOffered } from '../playlists/offered.ts'
import { setOf, streamsOf } from '../playlists/streams.ts'
import { keySessions } from '../sessions/key-sessions.ts'
import { liveSessions } from '../sessions/live-sessions.ts'
import { requireOpen } from '../sessions/media-permit.ts'
import { checkKeyUrl, expired, invalidKeyUrl, type KeyQuery } from './key-url.ts'

type KeyRequest = { videoId: string; mediaId?: string | null } & KeyQuery

/**
 * Returns the AES-128 key (16 bytes) for a player. A session that used a key URL before it expired can use it until the session ends: some
 * players fetch the key with every segment. Errors: PLAYBACK_TOKEN_INVALID, PLAYBACK_TOKEN_EXPIRED (also for an ended session),
 * PLAYBACK_NOT_ALLOWED, VIDEO_NOT_FOUND, NOT_FOUND if not encrypted. `mediaId`: the set of streams that its URL names.
 */
export async function contentKey(request: KeyRequest): Promise<Uint8Array> {
  const { key, opening, inTime, session } = await openKeyUrl(request)
  const { videoId } = request
  if (session && inTime) await keySessions().remember({ ...session, videoId })
  else if (!inTime && !(session && (await keySessions().isKnown(session.id)))) throw expired()
  liveSessions().note(videoId, opening)
  return key
}

/** Returns what a key URL opens, and does not note its use. Errors: as `contentKey`, for an expired URL only once its session has ended. */
export async function openKeyUrl({ videoId, mediaId, ...query }: KeyRequest) {
  const opened = checkKeyUrl(videoId, query)
  const terms = await requireOpen(videoId, opened.opening)
  const streams = setOf(await streamsOf(videoId), mediaId ?? videoId)
  const { contentKey } = streams
  if (!contentKey) throw new ServiceError('NOT_FOUND', { message: 'This video is not encrypted and has no key.' })
  const stream = query.stream ?? ''
  // The key that the others derive from opens every stream, and is for nobody.
  if (hasStreamKeys(contentKey) !== (stream !== '')) throw invalidKeyUrl()
  const quality = stream.startsWith('audio-') ? undefined : stream.split('-').at(-1)
  if (quality) await requireOffered(videoId, streams, quality, { ...opened.opening, terms })
  return { ...opened, key: streamKey(contentKey, stream) }
}

/** Bytes that contain the start of a segment's first frame; whole packets and whole cipher blocks. */
const HEAD_BYTES = 16 * PACKET_BYTES * 32

/** By storage key, whose content never changes. A second copy in the pages' module graph holds the same values. */
const known = new LRUCache<string, number>({ max: 10_000 })

/**
 * Returns the time stamp of the first frame in a stored segment with media sequence number 0, on MPEG-TS's 90 kHz clock. `aesKey` for an
 * encrypted one. Errors: SERVICE_UNAVAILABLE for one that is missing or does not start with a frame; StorageError.
 */
export async function firstPts(key: string, aesKey: Uint8Array | undefined): Promise<number> {
  const held = known.get(key)
  if (held !== undefined) return held
  const stored = await readHead(key)
  const pts = ptsOf(aesKey ? decryptHead(stored, aesKey) : stored)
  if (pts === undefined) throw refuseDamaged(key)
  known.set(key, pts)
  return pts
}

async function readHead(key: string): Promise<Buffer> {
  const parts: Buffer[] = []
  const end = Math.min(HEAD_BYTES, (await storage().stat(key))?.bytes ?? 0) - 1
  if (end < 0) throw refuseDamaged(key)
  for await (const part of storage().read(key, { start: 0, end })) parts.push(Buffer.from(part))
  return Buffer.concat(parts)
}

function decryptHead(stored: Buffer, aesKey: Uint8Array): Buffer {
  const decipher = createDecipheriv('aes-128-cbc', aesKey, sequenceIv(0)).setAutoPadding(false)
  return decipher.update(stored)
}
