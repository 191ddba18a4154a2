import { type AccountCtx, type AccountId, requirePermission, requireUser } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { JOBS } from '../../../jobs.ts'
import { db, type Tx } from '../../../platform/database/database.ts'
import { enqueue } from '../../../platform/job-queue.ts'
import { newId } from '../../../platform/secrets/crypto.ts'
import { record } from '../../audit/record.ts'
import { overLimit } from '../../identity/accounts/storage.ts'
import { lockCollection } from '../../videos/collections/collections.ts'
import { selectionConditions } from '../list-videos.ts'
import { eligible, SKIPPED, UNDO } from './bulk-eligible.ts'
import { type BulkKind, MAX_BULK_VIDEOS, MAX_KEPT_BULK_VIDEOS, type StartBulkInput } from './bulk-schema.ts'

interface Action {
  kind: BulkKind
  collectionId?: string | null | undefined
  fromId?: string | null | undefined
  until?: Date | undefined
}

/**
 * Starts an action on many videos: fixes which ones in one statement, and leaves the work to a worker (`run-bulk.ts`). Videos that appear
 * later are not part of it. Returns its ID. Errors: FORBIDDEN, COLLECTION_NOT_FOUND, CONFLICT while another of the account's actions runs,
 * and if more videos match than `count`; NOT_FOUND if none does; TOO_MANY_ATTEMPTS beyond `MAX_KEPT_BULK_VIDEOS`.
 */
export async function startBulk(ctx: AccountCtx, { kind, target, collectionId, fromId }: StartBulkInput): Promise<{ actionId: string }> {
  const action = { kind, collectionId, fromId }
  return begin(ctx, action, undefined, (tx, actionId) =>
    'ids' in target
      ? insertItems(tx, ctx, actionId, action, (value) => ({
          from: 'video',
          where: [OWN, `video.id = ANY (${value(target.ids)}::text[])`],
        }))
      : insertItems(tx, ctx, actionId, action, (value) => selectionConditions(target.selection, value), target.count),
  )
}

/**
 * Reverts a finished action by doing the opposite with the videos it changed. What a member has since done with them stays: a video that
 * was restored and deleted again is not restored. Returns the new action's ID. Errors: as `startBulk`, and NOT_FOUND, CONFLICT for an
 * action that cannot be reverted, or already was.
 */
export async function undoBulk(ctx: AccountCtx, { actionId }: { actionId: string }): Promise<{ actionId: string }> {
  requirePermission(ctx, 'videos.change')
  const before = await db().bulkAction.findFirst({ where: { id: actionId, accountId: ctx.accountId } })
  if (!before) throw new ServiceError('NOT_FOUND', { message: 'Your account has no such bulk action.' })
  const kind = UNDO[before.kind as BulkKind]
  if (!kind || !before.finishedAt) throw new ServiceError('CONFLICT', { message: 'This bulk action cannot be undone.' })
  if (await db().bulkAction.count({ where: { accountId: ctx.accountId, undoOf: actionId } }))
    throw new ServiceError('CONFLICT', { message: 'This bulk action was already undone.' })
  const { collectionId, fromId, finishedAt } = before
  const action =
    kind === 'move'
      ? { kind, collectionId: fromId, fromId: collectionId }
      : { kind, collectionId, ...(kind === 'restore' && { until: finishedAt }) }
  return begin(ctx, action, actionId, (tx, id) =>
    insertItems(tx, ctx, id, action, (value) => ({
      from: 'video',
      where: [OWN, `video.id IN (SELECT video_id FROM bulk_item WHERE action_id = ${value(actionId)} AND state = 'done')`],
    })),
  )
}

const OWN = 'video.account_id = $1'

async function begin(
  ctx: AccountCtx,
  { kind, collectionId, fromId }: Action,
  undoOf: string | undefined,
  insert: (tx: Tx, actionId: string) => Promise<number>,
): Promise<{ actionId: string }> {
  requirePermission(ctx, 'videos.change')
  const { userId, email } = requireUser(ctx)
  const { accountId, requestId } = ctx
  const actionId = newId('blk')
  const started = db().$transaction(async (tx) => {
    const names = []
    for (const id of [collectionId, fromId]) if (id) names.push((await lockCollection(tx, ctx, id, { change: false })).name)
    await tx.bulkAction.create({
      data: { id: actionId, accountId, userId, email, requestId, kind, collectionId, fromId, undoOf, total: 0 },
    })
    const total = await insert(tx, actionId)
    if (total === 0) throw new ServiceError('NOT_FOUND', { message: 'No video matches anymore. Reload the list.' })
    await requireBulkRoom(tx, accountId, total)
    const skipped = await tx.bulkItem.count({ where: { actionId, state: 'skipped' } })
    await tx.bulkAction.update({ where: { id: actionId }, data: { total, skipped } })
    const [collection, from] = names
    await record(tx, ctx, {
      action: 'library.bulk',
      subject: actionId,
      after: { kind, videos: total, ...(collection && { collection }), ...(from && { from }), ...(undoOf && { undoOf }) },
    })
    await enqueue(tx, JOBS['library.bulk'], { actionId }, { group: accountId })
  })
  await started.catch((error: { code?: string }) => {
    throw error.code === 'P2002' ? new ServiceError('CONFLICT', { message: RUNNING }) : error
  })
  return { actionId }
}

/** Errors: TOO_MANY_ATTEMPTS if the kept actions together have `MAX_KEPT_BULK_VIDEOS` videos. */
async function requireBulkRoom(tx: Tx, accountId: AccountId, total: number): Promise<void> {
  const kept = await tx.bulkAction.aggregate({ where: { accountId }, _sum: { total: true } })
  if ((kept._sum.total ?? 0) + total <= MAX_KEPT_BULK_VIDEOS) return
  const most = MAX_KEPT_BULK_VIDEOS.toLocaleString('en')
  throw overLimit(
    'bulkVideos',
    `This account’s bulk actions can change at most ${most} videos within 30 days. Try again when earlier ones are older.`,
  )
}

const RUNNING = 'Another bulk action is running in this account. Wait for it to finish, or cancel it.'

/** Inserts an action's videos in one statement. Returns how many. Errors: CONFLICT for more than `most`. */
async function insertItems(
  tx: Tx,
  { accountId }: AccountCtx,
  actionId: string,
  action: Action,
  conditions: (value: (one: unknown) => string) => { from: string; where: string[] },
  most = MAX_BULK_VIDEOS,
): Promise<number> {
  const values: unknown[] = [accountId]
  const value = (one: unknown) => `$${values.push(one)}`
  const { from, where } = conditions(value)
  const columns = `${value(actionId)}, video.id, CASE WHEN ${eligible(action, value)} THEN 'pending' ELSE 'skipped' END`
  const reason = `CASE WHEN ${eligible(action, value)} THEN NULL ELSE ${value(SKIPPED[action.kind])} END`
  const count = await tx.$executeRawUnsafe(
    `INSERT INTO bulk_item (action_id, video_id, state, reason)
     SELECT ${columns}, ${reason} FROM ${from} WHERE ${where.join(' AND ')} LIMIT ${value(most + 1)}`,
    ...values,
  )
  if (count <= most) return count
  throw new ServiceError('CONFLICT', {
    message: `More than ${most.toLocaleString('en')} videos match now. Reload the list, then select again.`,
    details: { maximum: most },
  })
}
