import type { AccountCtx, AccountId } from '../context.ts'
import { createKey } from '../modules/api-keys/create-key.ts'
import type { CreatedKey } from '../modules/api-keys/mint.ts'
import type { CreateKeyInput } from '../modules/api-keys/schema.ts'
import { newContentKey, sealContentKey } from '../modules/transcoding/content-key.ts'
import type { Role } from '../permissions.ts'
import { newId } from '../platform/crypto.ts'
import { db } from '../platform/database.ts'
import type { VideoUncheckedCreateInput } from '../platform/prisma/models.ts'

/** Creates an account with one member; returns the context of that user's calls. */
export async function makeAccount(role: Role = 'OWNER'): Promise<AccountCtx> {
  const accountId = newId('acc') as AccountId
  const userId = newId('usr')
  const email = `${userId.toLowerCase()}@example.com`
  await db().account.create({
    data: { id: accountId, name: 'Test', members: { create: { role, user: { create: { id: userId, email, passwordHash: 'none' } } } } },
  })
  return { accountId, actor: { kind: 'user', userId, email, role }, requestId: 'req_test' }
}

/** Adds a member to an account; returns the context of their calls. */
export async function makeMember({ accountId }: AccountCtx, role: Role): Promise<AccountCtx & { actor: { kind: 'user' } }> {
  const userId = newId('usr')
  const email = `${userId.toLowerCase()}@example.com`
  await db().user.create({ data: { id: userId, email, passwordHash: 'none', memberships: { create: { accountId, role } } } })
  return { accountId, actor: { kind: 'user', userId, email, role }, requestId: 'req_test' }
}

export const makeKey = (ctx: AccountCtx, input: Partial<CreateKeyInput> = {}): Promise<CreatedKey> =>
  createKey(ctx, { address: '192.0.2.1' }, { name: 'Backend', environment: 'LIVE', scopes: ['video:read'], ...input })

/** Creates a video row, COMPLETED by default, without media. */
export async function makeVideo(ctx: AccountCtx, fields: Partial<VideoUncheckedCreateInput> = {}): Promise<string> {
  const id = newId('vid')
  await db().video.create({
    data: {
      id,
      accountId: ctx.accountId,
      title: 'Clip',
      status: 'COMPLETED',
      durationSec: 20,
      targetQuality: '720p',
      qualities: ['720p', '480p', '360p', '240p'],
      sourceKey: `sources/${id}`,
      sourceName: 'clip.mp4',
      sourceBytes: 1n,
      completedAt: new Date(),
      ...fields,
    },
  })
  return id
}

/** Creates a COMPLETED video with one encrypted rendition of 4 s, so that its playlists and key are served; its segment is not stored. */
export async function makePlayable(ctx: AccountCtx, fields: Partial<VideoUncheckedCreateInput> = {}): Promise<string> {
  const id = await makeVideo(ctx, { qualities: ['360p'], ...fields })
  await db().video.update({ where: { id }, data: { contentKey: sealContentKey(newContentKey(), id) } })
  const segments: [string, number][] = [['a'.repeat(32), 4]]
  const rendition = { width: 640, height: 360, bandwidth: 9, averageBandwidth: 9, codecs: 'avc1.64001f', frameRate: 30, bytes: 9n }
  await db().rendition.create({ data: { videoId: id, quality: '360p', segments, ...rendition } })
  return id
}
