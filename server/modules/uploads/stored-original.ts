import type { Tx } from '../../platform/database.ts'

/** Returns whether an upload became a video, or the media of one whose source it replaced. */
export const isStored = async (on: Pick<Tx, 'video'>, videoId: string, accountId?: string): Promise<boolean> =>
  (await on.video.count({ where: { OR: [{ id: videoId }, { mediaId: videoId }], ...(accountId && { accountId }) } })) > 0
