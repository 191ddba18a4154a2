import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AccountCtx } from '../../server/context.ts'
import { SERVICE } from '../../server/modules/audit/content-access.ts'
import { signToken } from '../../server/modules/delivery/tokens/token.ts'
import { hashPassword } from '../../server/modules/identity/sign-in/password-hash.ts'
import { openContentKey, streamKey } from '../../server/modules/transcoding/encode/content-key.ts'
import { contentName, encryptSegment } from '../../server/modules/transcoding/encode/segment-store.ts'
import { segmentKey } from '../../server/modules/videos/media-keys.ts'
import { db, pool } from '../../server/platform/database/database.ts'
import { storage } from '../../server/platform/storage/storage.ts'
import { makeAccount, makeKey, makeMember, makePlayable } from '../../server/testing/make.ts'
import { keepMediaFile, makeMediaFile } from '../../server/testing/media/media-files.ts'
import { cookieFor } from '../../server/testing/sign-in.ts'
import type { Target } from './target.ts'

const SCOPES = ['video:read', 'video:write', 'webhook:read'] as const
/** Bytes per segment. All of a video's are more than the service caches here, so that most are read from the disk. */
const SEGMENT_BYTES = 300_000
const PASSWORD = 'correct horse battery'
const AUDIT_BYTES = 41 * 1024 ** 2
const ENTRY_BYTES = 4_096

/** Creates the attacker's account, with a long audit log, and the attacks' files. */
export async function makeTarget(base: string, dataDir: string, isSmall: boolean): Promise<Target> {
  const { ctx, key, videoId } = await makeOwner(2)
  await lengthenAuditLog(ctx)
  const picture = await makeMediaFile('abuse.png', ['-f', 'lavfi', '-i', 'color=white:size=7000x7000', '-frames:v', '1'])
  const clip = await makeMediaFile('abuse.mp4', [
    ...['-f', 'lavfi', '-i', 'color=black:size=1920x1080:rate=60:duration=6'],
    ...['-c:v', 'libx264', '-preset', 'veryfast', '-pix_fmt', 'yuv420p'],
  ])
  return {
    ...{ base, ctx, key, videoId, dataDir, isSmall, picture, clip },
    manyTracks: await makeManyTracks(dataDir),
    cookie: await cookieFor(ctx),
    deadToken: signToken(SERVICE, { videoId, jti: 'tok_dead', iat: Math.floor(Date.now() / 1_000) - 3_600 }),
  }
}

/** What a bystander knows about its account. */
export interface Bystander {
  base: string
  ctx: AccountCtx
  cookie: string
  key: string
  videoId: string
  /** Of a member, who signs in again and again. */
  email: string
  password: string
  /** Path of a short video with sound. */
  clip: string
}

/** Creates a bystander's account, whose video has more segments than the service caches here. */
export async function makeBystander(base: string): Promise<Bystander> {
  const { ctx, key, videoId } = await makeOwner(64)
  // Another user: sign-ins replace the oldest session of a user, and the dashboard needs its session.
  const { userId, email } = (await makeMember(ctx, 'VIEWER')).actor
  await db().user.update({ where: { id: userId }, data: { passwordHash: await hashPassword(PASSWORD) } })
  const clip = await makeMediaFile('abuse-sound.mp4', [
    ...['-f', 'lavfi', '-i', 'color=black:size=320x180:rate=15:duration=4', '-f', 'lavfi', '-i', 'sine=duration=4'],
    ...['-c:v', 'libx264', '-preset', 'veryfast', '-pix_fmt', 'yuv420p', '-c:a', 'aac'],
  ])
  return { base, ctx, cookie: await cookieFor(ctx), key, videoId, email, password: PASSWORD, clip }
}

async function makeOwner(segments: number) {
  const ctx = await makeAccount()
  const { id: keyId, value: key } = await makeKey(ctx, { scopes: [...SCOPES] })
  await db().apiKey.update({ where: { id: keyId }, data: { dailyQuota: 2_000_000_000 } })
  return { ctx, key, videoId: await makeStored(ctx, segments) }
}

/**
 * Creates a video whose segments are stored: the first is real, because captions are mapped to its time stamps, and the others are noise.
 */
async function makeStored(ctx: AccountCtx, count: number): Promise<string> {
  const videoId = await makePlayable(ctx)
  const { contentKey } = await db().media.findUniqueOrThrow({ where: { id: videoId }, select: { contentKey: true } })
  if (!contentKey) throw new Error('The video is not encrypted.')
  const source = ['-f', 'lavfi', '-i', 'testsrc=size=640x360:rate=15:duration=4', '-c:v', 'libx264', '-f', 'mpegts']
  const plain = await readFile(await makeMediaFile('abuse.ts', source))
  const first = encryptSegment(plain, streamKey(openContentKey(contentKey, videoId), '360p'), 0)
  const noise = Array.from({ length: count - 1 }, () => randomBytes(SEGMENT_BYTES)).map((body) => ({ name: contentName(body), body }))
  const all = [first, ...noise]
  for (const { name, body } of all) await storage().put(segmentKey(videoId, name), body)
  await db().rendition.updateMany({ where: { mediaId: videoId }, data: { segments: all.map(({ name }) => [name, 4]) } })
  return videoId
}

/** Lengthens the log beyond what an account may add in a day, and allows more: attacks should be served, not refused for its length. */
async function lengthenAuditLog({ accountId, actor }: AccountCtx): Promise<void> {
  await db().accountLimit.createMany({
    data: ['auditBytes', 'auditDayBytes'].map((name) => ({
      accountId,
      name,
      value: BigInt(1_000 * AUDIT_BYTES),
      reason: 'abuse',
      setBy: 'operator',
    })),
  })
  const entries = Math.ceil(AUDIT_BYTES / ENTRY_BYTES)
  await pool().query(
    `INSERT INTO audit_entry (account_id, actor, action, subject, after)
     SELECT $1, $2, 'video.edit', 'vid_' || n, jsonb_build_object('description', repeat('A long description. ', $4)) FROM generate_series(1, $3) n`,
    [accountId, actor.kind === 'user' ? actor.userId : '', entries, Math.floor(ENTRY_BYTES / 20)],
  )
}

const TRACKS = 40
const CUES_BYTES = 400_000
const LANGUAGES =
  'eng deu fra spa ita por nld swe nor dan fin pol ces slk hun ron bul ell tur rus ukr hrv srp slv lit lav est gle cym eus cat glg isl heb ara fas hin jpn kor zho'

/** Creates two seconds of video with 40 subtitle tracks, 16 MB together. */
async function makeManyTracks(folder: string): Promise<string> {
  const cue = (at: number) => `${at}\n00:00:00,${String(at % 1_000).padStart(3, '0')} --> 00:00:01,999\nLine ${at} of the subtitles.\n\n`
  const cues: string[] = []
  for (let [at, bytes] = [1, 0]; bytes < CUES_BYTES; at++) bytes += cues[cues.push(cue(at)) - 1]?.length ?? 0
  const text = join(folder, 'subtitles.srt')
  await writeFile(text, cues.join(''))
  const subtitles = await keepMediaFile(text, 'abuse.srt')
  const tracks = LANGUAGES.split(' ').slice(0, TRACKS)
  return makeMediaFile('abuse.mkv', [
    ...['-f', 'lavfi', '-i', 'color=black:size=320x180:rate=15:duration=2', '-f', 'lavfi', '-i', 'sine=duration=2', '-i', subtitles],
    ...['-map', '0', '-map', '1', ...tracks.flatMap(() => ['-map', '2'])],
    ...tracks.flatMap((language, at) => [`-metadata:s:s:${at}`, `language=${language}`]),
    ...['-c:v', 'libx264', '-preset', 'veryfast', '-pix_fmt', 'yuv420p', '-c:a', 'aac', '-c:s', 'srt'],
  ])
}
