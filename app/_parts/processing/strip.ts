import type { Processing } from '#server/modules/transcoding/tasks/processing-schema'
import { formatDuration, formatWait } from '../../_ui/format'

type Chunk = Processing['chunks'][number]
export type ChunkState = Chunk['state']

/** One cell of the strip: a chunk, or consecutive ones where there are too many to draw. */
export interface Cell {
  startSec: number
  endSec: number
  state: ChunkState
  /** Share that is encoded, 0 to 1. */
  progress: number
  /** What it shows, in words. */
  label: string
}

export const STATES: Record<ChunkState, string> = { done: 'done', running: 'running', retrying: 'waiting to retry', waiting: 'waiting' }

/** The state of a cell with several chunks is the first one here that any of them has. */
const FIRST: ChunkState[] = ['retrying', 'running', 'waiting', 'done']

/** Combines chunks into at most `most` cells. `nameOf` names a worker. */
export function cellsOf(chunks: readonly Chunk[], most: number, nameOf: (label: string) => string = (label) => label): Cell[] {
  const size = Math.max(1, Math.ceil(chunks.length / most))
  const cells: Cell[] = []
  for (let at = 0; at < chunks.length; at += size) {
    const group = chunks.slice(at, at + size)
    const [first, last] = [group[0], group.at(-1)]
    if (!first || !last) continue
    const state = FIRST.find((one) => group.some((chunk) => chunk.state === one)) ?? 'waiting'
    const progress = group.reduce((sum, chunk) => sum + chunk.progress, 0) / group.length
    cells.push({ startSec: first.startSec, endSec: last.endSec, state, progress, label: labelOf(group, { state, progress }, nameOf) })
  }
  return cells
}

function labelOf(
  group: readonly Chunk[],
  { state, progress }: Pick<Cell, 'state' | 'progress'>,
  nameOf: (label: string) => string,
): string {
  const [first, last] = [group[0] as Chunk, group.at(-1) as Chunk]
  const where = `${formatDuration(first.startSec)}–${formatDuration(last.endSec)}`
  const share = state === 'running' || (group.length > 1 && state !== 'done') ? `, ${formatShare(progress)}` : ''
  const worker = group.length === 1 && first.worker && state === 'running' ? `, ${nameOf(first.worker)}` : ''
  return `${where}: ${STATES[state]}${share}${worker}`
}

export const formatShare = (share: number) => `${Math.floor(share * 100)}%`

/** Counts chunks by state, in the order of the legend, without the states that none has. */
export function countsOf(chunks: readonly Chunk[]): [ChunkState, number][] {
  const states: ChunkState[] = ['done', 'running', 'retrying', 'waiting']
  return states
    .map((state) => [state, chunks.filter((chunk) => chunk.state === state).length] as [ChunkState, number])
    .filter(([, count]) => count > 0)
}

/** Describes the strip for those who do not see it. */
export function describeChunks(chunks: readonly Chunk[]): string {
  const counts = countsOf(chunks).map(([state, count]) => `${count} ${STATES[state]}`)
  return `${chunks.length} ${chunks.length === 1 ? 'chunk' : 'chunks'}: ${counts.join(', ')}`
}

/** Formats the time left: About 2 min left. */
export const formatTimeLeft = (seconds: number) => `About ${formatWait(seconds)} left`
