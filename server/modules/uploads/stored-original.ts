import type { Tx } from '../../platform/database/database.ts'

/** Returns whether an upload became media: of a new video, or of one whose source it replaces. */
export const isStored = async (on: Pick<Tx, 'media'>, id: string, accountId?: string): Promise<boolean> =>
  (await on.media.count({ where: { id, ...(accountId && { accountId }) } })) > 0
