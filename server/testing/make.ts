import type { AccountCtx, AccountId } from '../context.ts'
import { type CreatedKey, createKey } from '../modules/access/keys/create-key.ts'
import type { CreateKeyInput } from '../modules/access/keys/schema.ts'
import { sealOwnId, viewerReference } from '../modules/identity/viewers/reference.ts'
import { newContentKey, sealContentKey } from '../modules/transcoding/encode/content-key.ts'
import { queueMedia } from '../modules/videos/queue-media.ts'
import type { Role } from '../permissions.ts'
import { db, type Tx } from '../platform/database/database.ts'
import type { MediaUncheckedCreateInput, VideoUncheckedCreateInput } from '../platform/prisma/models.ts'
import { newId } from '../platform/secrets/crypto.ts'

/** Creates an account with one member. Returns the context of that user's calls. */
export async function makeAccount(role: Role = 'OWNER'): Promise<AccountCtx> {
  const accountId = newId('acc') as AccountId
  const userId = newId('usr')
  const email = `${userId.toLowerCase()}@example.com`
  await db().account.create({
    data: { id: accountId, name: 'Test', members: { create: { role, user: { create: { id: userId, email, passwordHash: 'none' } } } } },
  })
  return { accountId, actor: { kind: 'user', userId, email, role }, requestId: 'req_test' }
}

/** Adds a member to an account. Returns the context of their calls. */
export async function makeMember({ accountId }: AccountCtx, role: Role): Promise<AccountCtx & { actor: { kind: 'user' } }> {
  const userId = newId('usr')
  const email = `${userId.toLowerCase()}@example.com`
  await db().user.create({ data: { id: userId, email, passwordHash: 'none', memberships: { create: { accountId, role } } } })
  return { accountId, actor: { kind: 'user', userId, email, role }, requestId: 'req_test' }
}

export const makeKey = (ctx: AccountCtx, input: Partial<CreateKeyInput> = {}): Promise<CreatedKey> =>
  createKey(ctx, { address: '192.0.2.1' }, { name: 'Backend', environment: 'LIVE', scopes: ['video:read'], ...input })

/** Columns of a video and of its media. */
export type VideoFields = Partial<Omit<VideoUncheckedCreateInput & MediaUncheckedCreateInput, 'id' | 'videoId' | 'mediaId'>>

/** Fields that its owner sets, and what its owner does to it. */
const OF_VIDEO = [
  ...['accountId', 'title', 'description', 'metadata', 'externalId', 'pictureQuality', 'posterUploaded', 'posterBytes', 'captionBytes'],
  ...['retries', 'deletedAt', 'takenDownAt', 'takedownReason', 'reencodeRequestedAt'],
]
const OF_BOTH = [
  'accountId',
  'status',
  'durationSec',
  'targetQuality',
  'qualities',
  'encrypted',
  'playableAt',
  'completedAt',
  'createdAt',
  'poster',
]

const only = (fields: object, isWanted: (name: string) => boolean) =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => isWanted(name)))

/**
 * Creates a video, COMPLETED by default, with media of the same ID, of which nothing is stored. One that is to be transcoded is in the
 * queue.
 */
export async function makeVideo(ctx: AccountCtx, fields: VideoFields = {}): Promise<string> {
  const id = newId('vid')
  const all = {
    accountId: ctx.accountId,
    title: 'Clip',
    status: 'COMPLETED' as const,
    durationSec: 20,
    targetQuality: '720p',
    qualities: ['720p', '480p', '360p', '240p'],
    sourceKey: `sources/${id}`,
    sourceName: 'clip.mp4',
    sourceBytes: 1n,
    completedAt: new Date(),
    ...fields,
  }
  const ofVideo = only(all, (name) => OF_VIDEO.includes(name) || OF_BOTH.includes(name))
  const ofMedia = only(all, (name) => !OF_VIDEO.includes(name) || OF_BOTH.includes(name))
  const insert = async (tx: Tx) => {
    await tx.video.create({ data: { ...ofVideo, id, mediaId: id } as VideoUncheckedCreateInput })
    await tx.media.create({ data: { ...ofMedia, id, videoId: id } as MediaUncheckedCreateInput })
    if (!all.deletedAt && (all.status === 'PENDING' || all.status === 'PROCESSING')) await queueMedia(tx, { id, accountId: all.accountId })
  }
  const made = making.then(() => db().$transaction(insert))
  making = made.catch(() => {})
  await made
  return id
}

/** Ends when the video before is made: of hundreds made at once, the last would wait for a connection for longer than any caller may. */
let making: Promise<unknown> = Promise.resolve()

/** Creates a COMPLETED video with one encrypted rendition of 4 s, so that its playlists and key are served. Its segment is not stored. */
export async function makePlayable(ctx: AccountCtx, fields: VideoFields = {}): Promise<string> {
  const id = await makeVideo(ctx, { qualities: ['360p'], ...fields })
  await db().media.update({ where: { id }, data: { contentKey: sealContentKey(newContentKey(), id) } })
  const segments: [string, number][] = [['a'.repeat(32), 4]]
  const rendition = { width: 640, height: 360, bandwidth: 9, averageBandwidth: 9, codecs: 'avc1.64001f', frameRate: 30, bytes: 9n }
  await db().rendition.create({ data: { mediaId: id, quality: '360p', segments, ...rendition } })
  return id
}

/** Creates a viewer with the customer's own ID `viewerId`. Returns their reference. */
export async function makeViewer({ accountId }: AccountCtx, viewerId: string): Promise<string> {
  const id = await viewerReference(accountId, viewerId)
  await db().viewer.create({ data: { id, accountId, ownId: sealOwnId(id, viewerId) } })
  return id
}
