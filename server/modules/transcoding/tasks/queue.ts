import { db, query, type Tx } from '../../../platform/database/database.ts'
import { leaseTask, type TaskKind, type TaskRef, type TranscodeLease } from './lease.ts'
import { type WorkerPins, workerPins } from './worker-pins.ts'

/** What a worker's slots take. Each takes only its own kinds of tasks, so that none waits for another lane. */
export const PICTURE: readonly TaskKind[] = ['plan', 'copy', 'quality', 'video']
/** A track is one long task, which no chunk of another video must wait for. */
export const SOUND: readonly TaskKind[] = ['audio']
/** Nothing waits for a video's last step but its completion. */
export const LAST: readonly TaskKind[] = ['finish']

/**
 * Leases the next task of the given kinds, or one whose worker was lost. SQL sets the order (`transcode_next`, `transcode_order` and
 * `transcode_turn_cost` in prisma/routines): accounts take turns, paid ones three for each turn of a free one, and within an account,
 * videos that do not play yet come first. Undefined if nothing is due for the given accounts and media that is not excluded.
 */
export async function leaseNext(
  kinds: readonly TaskKind[],
  { tiers, accounts }: WorkerPins = { tiers: ['FREE', 'PAID'] },
  excluded: readonly string[] = [],
): Promise<TranscodeLease | undefined> {
  if (!(await isAnyDue(kinds))) return undefined
  let next: TaskRef | undefined
  try {
    return await db().$transaction(async (tx) => {
      const found = await tx.$queryRaw<TaskRef[]>`
        SELECT next_media AS "mediaId", next_kind AS kind, next_position AS position
        FROM transcode_next(${[...kinds]}, ${[...tiers]}, ${accounts ? [...accounts] : null}::text[], ${[...excluded]}::text[])`
      next = found[0]
      return next && (await leaseTask(tx, next))
    })
  } catch (error) {
    if (next) await postpone(next)
    throw error
  }
}

/** Returns whether a task of these kinds is due. */
export async function isAnyDue(kinds: readonly TaskKind[]): Promise<boolean> {
  const [row] = await query<{ due: boolean }>('transcode-due', DUE, [kinds])
  return row?.due ?? false
}

/**
 * Returns whether a task of these kinds is due. Idle workers ask often, so it takes no lock and reads the first index entry for each kind.
 * With EXISTS, the planner expects to find one soon and reads the table.
 */
export const DUE = `
  SELECT COALESCE(bool_or(first.due_at <= service_now()), false) AS due
  FROM unnest($1::text[]) AS wanted (kind), LATERAL (
    (SELECT due_at FROM transcode_task t WHERE t.kind = wanted.kind AND done_at IS NULL AND leased_until IS NULL
      ORDER BY due_at LIMIT 1)
    UNION ALL
    (SELECT leased_until FROM transcode_task t WHERE t.kind = wanted.kind AND leased_until IS NOT NULL
      ORDER BY leased_until LIMIT 1)) AS first`

/**
 * Leases a planned video's next task, whose worker has the source at hand, if the order puts it first: accounts' turns also apply between a
 * video's steps. `tx` holds the video.
 */
export async function leaseNextOf(tx: Tx, { accountId, mediaId }: TranscodeLease): Promise<TranscodeLease | undefined> {
  const { tiers, accounts } = workerPins()
  const ids = accounts ? [...accounts] : null
  const [first] = await tx.$queryRaw<Pick<TaskRef, 'mediaId'>[]>`
    SELECT media_id AS "mediaId" FROM transcode_order WHERE kind = ANY (${[...PICTURE]}) AND tier = ANY (${[...tiers]})
      AND (${ids}::text[] IS NULL OR account_id = ANY (${ids}::text[])) ORDER BY place LIMIT 1`
  if (first?.mediaId !== mediaId) return undefined
  const [next] = await tx.$queryRaw<TaskRef[]>`
    SELECT next_media AS "mediaId", next_kind AS kind, next_position AS position
    FROM transcode_next(${[...PICTURE]}, ${[...tiers]}, ${[accountId]}::text[], '{}'::text[])`
  // A lost worker's task comes first and costs no turn: it stays where it is.
  return next?.mediaId === mediaId ? leaseTask(tx, next) : undefined
}

/** Returns the media of accounts that is waiting or being transcoded. */
export async function queuedMediaOf(accountIds: readonly string[]): Promise<string[]> {
  const rows = await query<{ id: string }>('transcode-queued-of', 'SELECT media_id AS id FROM transcode_queue WHERE account_id = ANY($1)', [
    accountIds,
  ])
  return rows.map(({ id }) => id)
}

/** Seconds until a task that could not be started is due again. */
const POSTPONE_SEC = 30

/** Delays a task that fails to start. Otherwise, it would stay next in line and block all others. */
async function postpone({ mediaId, kind, position }: TaskRef): Promise<void> {
  await db().$executeRaw`
    UPDATE transcode_task SET leased_until = NULL, due_at = service_now() + make_interval(secs => ${POSTPONE_SEC})
    WHERE media_id = ${mediaId} AND kind = ${kind} AND position = ${position} AND COALESCE(leased_until, due_at) <= service_now()`
}
