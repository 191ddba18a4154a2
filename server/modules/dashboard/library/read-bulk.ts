import { type AccountCtx, requirePermission } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { serviceNow } from '../../../platform/database/clock.ts'
import { db, query } from '../../../platform/database/database.ts'
import { record } from '../../audit/record.ts'
import { UNDO } from './bulk-eligible.ts'
import type { BulkKind } from './bulk-schema.ts'

/** How many actions the dashboard lists, and how many problems of one of them. */
const LISTED = 20
const PROBLEMS = 200

/** A bulk action and its progress. Once it has ended, `total` is the sum of the counts, unless it was stopped. */
export interface BulkState {
  id: string
  kind: BulkKind
  /** Names of the collections. Null if there is none, or it was deleted. */
  collection: string | null
  from: string | null
  email: string
  total: number
  done: number
  skipped: number
  failed: number
  createdAt: Date
  finishedAt: Date | null
  /** Why it ended before its last video. Null if it did not. */
  stopped: string | null
  /** Whether it can be undone: it ended, changed something, and was not undone. */
  undoable: boolean
}

type Row = Omit<BulkState, 'undoable'> & { undone: boolean }

/** Returns the account's latest bulk actions, newest first. */
export async function listBulk({ accountId }: AccountCtx): Promise<BulkState[]> {
  const rows = await query<Row>(
    'bulk-actions',
    `SELECT id, kind, email, total, done, skipped, failed, created_at AS "createdAt", finished_at AS "finishedAt", stopped,
       (SELECT name FROM collection WHERE collection.id = collection_id) AS collection,
       (SELECT name FROM collection WHERE collection.id = from_id) AS "from",
       EXISTS (SELECT FROM bulk_action AS later WHERE later.account_id = $1 AND later.undo_of = bulk_action.id) AS undone
     FROM bulk_action WHERE account_id = $1 ORDER BY created_at DESC, id LIMIT ${LISTED}`,
    [accountId],
  )
  return rows.map(({ undone, ...row }) => ({
    ...row,
    undoable: row.finishedAt !== null && row.done > 0 && !undone && UNDO[row.kind] !== null,
  }))
}

/** A video that an action did not change, and why. `title` is null if it is gone. */
export interface BulkProblem {
  videoId: string
  title: string | null
  state: 'failed' | 'skipped'
  reason: string | null
}

/** Returns videos that an action did not change, failed ones first, at most 200. Errors: NOT_FOUND. */
export async function bulkProblems({ accountId }: AccountCtx, { actionId }: { actionId: string }): Promise<BulkProblem[]> {
  if (!(await db().bulkAction.count({ where: { id: actionId, accountId } }))) throw noSuchAction()
  return query<BulkProblem>(
    'bulk-problems',
    `SELECT video_id AS "videoId", title, state, reason FROM bulk_item LEFT JOIN video ON video.id = video_id AND video.account_id = $2
     WHERE action_id = $1 AND state IN ('failed', 'skipped') ORDER BY state, video_id LIMIT ${PROBLEMS}`,
    [actionId, accountId],
  )
}

/** Ends a running action after the videos being changed. The others stay as they are. Errors: FORBIDDEN, NOT_FOUND. */
export async function cancelBulk(ctx: AccountCtx, { actionId }: { actionId: string }): Promise<void> {
  requirePermission(ctx, 'videos.change')
  const { accountId } = ctx
  await db().$transaction(async (tx) => {
    const stopped = 'Cancelled.'
    const { count } = await tx.bulkAction.updateMany({
      where: { id: actionId, accountId, finishedAt: null },
      data: { finishedAt: new Date(serviceNow()), stopped },
    })
    if (count > 0) return record(tx, ctx, { action: 'library.cancel', subject: actionId })
    if (!(await tx.bulkAction.count({ where: { id: actionId, accountId } }))) throw noSuchAction()
  })
}

const noSuchAction = () => new ServiceError('NOT_FOUND', { message: 'Your account has no such bulk action.' })

/** Days to list an action and its problems. */
const KEPT_DAYS = 30

/** Deletes bulk actions that ended more than 30 days ago, one by one. Runs with the job `video.purge`. */
export async function pruneBulkActions(): Promise<void> {
  for (let deleted = 1; deleted > 0; ) {
    const rows = await query<{ id: string }>(
      'bulk-prune',
      `DELETE FROM bulk_action WHERE id = (
         SELECT id FROM bulk_action WHERE finished_at <= service_now() - make_interval(days => $1) LIMIT 1) RETURNING id`,
      [KEPT_DAYS],
    )
    deleted = rows.length
  }
}
