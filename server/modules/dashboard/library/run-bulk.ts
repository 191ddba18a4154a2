import type { AccountCtx, AccountId } from '../../../context.ts'
import { asServiceError } from '../../../errors.ts'
import { JOBS } from '../../../jobs.ts'
import { roleMay } from '../../../permissions.ts'
import { db, query } from '../../../platform/database/database.ts'
import { enqueue } from '../../../platform/job-queue.ts'
import { log } from '../../../platform/observe/log.ts'
import { addToCollection, removeFromCollection } from '../../videos/collections/collections.ts'
import { removeVideo, restoreVideo, retryVideo } from '../../videos/remove.ts'
import type { BulkKind } from './bulk-schema.ts'

/** How many videos are read, and have their results written, together. */
const SLICE = 100
/** Slices before other accounts' actions get their turn. */
const TURN = 5
/** How many videos are changed at the same time. */
const AT_ONCE = 4

interface Action {
  id: string
  kind: string
  collectionId: string | null
  fromId: string | null
}

type Result = { videoId: string; state: 'done' } | { videoId: string; state: 'failed'; reason: string }

const NO_MEMBER = 'The member who started this action left the account or can no longer manage videos.'
const SUSPENDED = 'The account was suspended.'

/**
 * Applies an action to its pending videos, slice by slice, each with the use case of its own page, including its rules, audit entry and
 * event. Lists a refused video with the reason and continues. Stops if the action was cancelled, or its member lost the permission. Runs as
 * the job `library.bulk`; a repeated run continues with the rest. After `TURN` slices, the rest becomes a new job, behind those of other
 * accounts: a worker runs one action at a time, and 100,000 videos take many minutes.
 */
export async function runBulkAction(actionId: string, signal: AbortSignal): Promise<void> {
  let after = ''
  for (let slices = 0; ; slices++) {
    signal.throwIfAborted()
    const action = await db().bulkAction.findUnique({ where: { id: actionId } })
    if (!action || action.finishedAt) return
    const ctx = await contextOf(action)
    if (typeof ctx === 'string') return finish(actionId, ctx)
    const items = await db().bulkItem.findMany({
      where: { actionId, state: 'pending', videoId: { gt: after } },
      select: { videoId: true },
      orderBy: { videoId: 'asc' },
      take: SLICE,
    })
    const last = items.at(-1)
    if (!last) return finish(actionId)
    if (slices === TURN) return db().$transaction((tx) => enqueue(tx, JOBS['library.bulk'], { actionId }, { group: action.accountId }))
    after = last.videoId
    await applySlice(
      ctx,
      action,
      items.map(({ videoId }) => videoId),
      signal,
    )
  }
}

/** Returns the context of the member who started the action, with the current role, or why there is none. */
async function contextOf(action: { accountId: string; userId: string; email: string; requestId: string }): Promise<AccountCtx | string> {
  const { accountId, userId, email, requestId } = action
  const member = await db().membership.findUnique({
    where: { accountId_userId: { accountId, userId } },
    select: { role: true, user: { select: { suspendedAt: true } }, account: { select: { suspendedAt: true } } },
  })
  if (member?.account.suspendedAt) return SUSPENDED
  if (!member || member.user.suspendedAt || !roleMay(member.role, 'videos.change')) return NO_MEMBER
  return { accountId: accountId as AccountId, actor: { kind: 'user', userId, email, role: member.role }, requestId }
}

async function applySlice(ctx: AccountCtx, action: Action, videoIds: string[], signal: AbortSignal): Promise<void> {
  const results: Result[] = []
  const left = [...videoIds]
  const work = async () => {
    for (let videoId = left.shift(); videoId && !signal.aborted; videoId = left.shift()) results.push(await apply(ctx, action, videoId))
  }
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work))
  } finally {
    // Also what was done before an interruption.
    await write(action.id, results)
  }
}

/** An error of the service itself is retried once, then listed like a refusal, so that one video never holds up the others. */
async function apply(ctx: AccountCtx, action: Action, videoId: string, repeated = false): Promise<Result> {
  try {
    await APPLY[action.kind as BulkKind](ctx, videoId, action)
    return { videoId, state: 'done' }
  } catch (thrown) {
    const { code, message } = asServiceError(thrown)
    if (code === 'INTERNAL_ERROR') log().error({ err: thrown, actionId: action.id, videoId }, 'unexpected error in a bulk action')
    const isOurs = code === 'INTERNAL_ERROR' || code === 'SERVICE_UNAVAILABLE'
    if (isOurs && !repeated) return apply(ctx, action, videoId, true)
    return { videoId, state: 'failed', reason: message }
  }
}

const APPLY: Record<BulkKind, (ctx: AccountCtx, videoId: string, action: Action) => Promise<unknown>> = {
  add: (ctx, videoId, { collectionId }) => addToCollection(ctx, { videoId, collectionId: collectionId ?? '' }),
  take: (ctx, videoId, { collectionId }) => removeFromCollection(ctx, { videoId, collectionId: collectionId ?? '' }),
  move: async (ctx, videoId, { collectionId, fromId }) => {
    await addToCollection(ctx, { videoId, collectionId: collectionId ?? '' })
    await removeFromCollection(ctx, { videoId, collectionId: fromId ?? '' })
  },
  delete: (ctx, videoId) => removeVideo(ctx, { videoId }),
  restore: (ctx, videoId) => restoreVideo(ctx, { videoId }),
  // One that is no longer FAILED was retried: by a run that was killed before it wrote its results, or by another member.
  retry: (ctx, videoId) =>
    retryVideo(ctx, { videoId }).catch((thrown: unknown) => {
      if (asServiceError(thrown).code !== 'CONFLICT') throw thrown
    }),
}

/** Writes the results of a slice and adds them to the action's counts. */
async function write(actionId: string, results: Result[]): Promise<void> {
  if (results.length === 0) return
  await query(
    'bulk-results',
    `WITH given AS (SELECT * FROM jsonb_to_recordset($2::jsonb) AS given ("videoId" text, state text, reason text)),
       written AS (
         UPDATE bulk_item SET state = given.state, reason = given.reason FROM given
         WHERE action_id = $1 AND video_id = given."videoId" AND bulk_item.state = 'pending' RETURNING bulk_item.state)
     UPDATE bulk_action SET done = done + (SELECT count(*) FROM written WHERE state = 'done'),
       failed = failed + (SELECT count(*) FROM written WHERE state = 'failed') WHERE id = $1`,
    [actionId, JSON.stringify(results)],
  )
}

async function finish(actionId: string, stopped?: string): Promise<void> {
  await query('bulk-finish', 'UPDATE bulk_action SET finished_at = service_now(), stopped = $2 WHERE id = $1 AND finished_at IS NULL', [
    actionId,
    stopped ?? null,
  ])
  log().info({ actionId, stopped }, 'bulk action ended')
}
