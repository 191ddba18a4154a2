import { planTranscode, type TranscodePlan } from '../server/modules/transcoding/plan/plan.ts'
import { planSearch } from '../server/modules/transcoding/quality/quality-search.ts'
import { query } from '../server/platform/database/database.ts'
import type { VideoWork } from './simulate-fleet.ts'

/** When a task ran; seconds since the epoch. */
export interface TaskTime {
  kind: string
  position: number
  from: number
  to: number
  /** The process that ran it. */
  worker?: string
}

/** Returns the tasks of a video that have begun; `to` of one that runs is now. */
export const readTaskTimes = (videoId: string): Promise<TaskTime[]> =>
  query(
    'bench-task-times',
    `SELECT kind, position, worker, extract(epoch FROM transcode_task.started_at)::float8 AS "from", extract(epoch FROM COALESCE(done_at, service_now()))::float8 AS "to"
     FROM transcode_task JOIN media ON media.id = media_id WHERE video_id = $1 AND transcode_task.started_at IS NOT NULL`,
    [videoId],
  )

/** Returns the seconds of a core that each task of a worker with one core had: tasks that run at the same time share it. Pure. */
export function ownSeconds(tasks: readonly TaskTime[]): number[] {
  const edges = [...new Set(tasks.flatMap(({ from, to }) => [from, to]))].toSorted((a, b) => a - b)
  return tasks.map(({ from, to }) =>
    edges.reduce((sum, edge, at) => {
      const next = edges[at + 1]
      if (next === undefined || edge < from || next > to) return sum
      return sum + (next - edge) / tasks.filter((one) => one.from <= edge && one.to >= next).length
    }, 0),
  )
}

/** What one worker took for a video. */
export interface Measured {
  durationSec: number
  tasks: readonly TaskTime[]
}

/**
 * Returns what a video of another length costs, from two measured ones: chunks and sound in proportion to the longer one, plan and last step,
 * which mostly start programs, on the line through both. Its chunks are those of the plan, and its search, whose samples do not grow, is that
 * of the longer one. Pure.
 */
export function workOf(
  plan: TranscodePlan,
  { short, long }: { short: Measured; long: Measured },
  { durationSec, sourceBytes }: { durationSec: number; sourceBytes: number },
): VideoWork {
  const perSec = (kind: string) => secondsOf(long, kind) / long.durationSec
  const onLine = (kind: string) => {
    const slope = Math.max(0, (secondsOf(long, kind) - secondsOf(short, kind)) / (long.durationSec - short.durationSec))
    return Math.max(0, secondsOf(long, kind) + slope * (durationSec - long.durationSec))
  }
  const keyFrames = everyTwoSeconds(durationSec)
  const longer = planTranscode({ facts: { ...plan.facts, durationSec }, renditions: plan.renditions, keyFrames })
  const { value } = plan.facts.frameRate
  const searchSec = secondsOf(long, 'quality')
  const search = searchSec > 0 ? planSearch(longer, 'standard') : undefined
  return {
    planSec: onLine('plan'),
    chunkSec: longer.chunks.map(({ expectedFrames }) => (expectedFrames / value) * perSec('video')),
    soundSec: plan.facts.audio.map(() => (perSec('audio') / plan.facts.audio.length) * durationSec),
    search: search && { sec: searchSec, from: search.from },
    finishSec: onLine('finish'),
    sourceBytes,
  }
}

function secondsOf({ tasks }: Measured, kind: string): number {
  const own = ownSeconds(tasks)
  return tasks.reduce((sum, task, at) => sum + (task.kind === kind ? (own[at] ?? 0) : 0), 0)
}

function everyTwoSeconds(endSec: number): Parameters<typeof planTranscode>[0]['keyFrames'] {
  const keyFrames = Array.from({ length: Math.ceil(endSec / 2) }, (_, at) => ({ sec: at * 2, nextSec: at * 2 + 2 }))
  return { keyFrames, packets: keyFrames.length, endSec, seekable: true }
}
