import type { ReadEntry } from './read.ts'

/** Views of the account by one member of staff on one UTC day, with no other change between them. */
export interface FoldedViews {
  count: number
  /** Time of the first. */
  since: Date
  /** Names of the pages, latest first, each once. */
  pages: string[]
}

/** A log entry as listed. `views` is set if it represents several views. */
export interface ListedEntry extends ReadEntry {
  views?: FoldedViews
}

/** A row of the list, and the oldest entry in it. */
export interface Folded {
  shown: ListedEntry
  last: string
}

/**
 * Returns the entries, newest first, with one staff member's consecutive views as one row at the newest view's time: a row per page would
 * hide the changes among them.
 */
export function foldViews(entries: readonly ReadEntry[]): Folded[] {
  const runs: ReadEntry[][] = []
  for (const entry of entries) {
    const run = runs.at(-1)
    if (run?.[0] && isSameView(run[0], entry)) run.push(entry)
    else runs.push([entry])
  }
  return runs.map((run) => {
    const [newest, oldest] = [run[0] as ReadEntry, run.at(-1) as ReadEntry]
    if (run.length === 1) return { shown: newest, last: oldest.id }
    const pages = [...new Set(run.flatMap(({ after }) => (typeof after?.page === 'string' ? after.page : [])))]
    return { shown: { ...newest, views: { count: run.length, since: oldest.at, pages } }, last: oldest.id }
  })
}

const isSameView = (one: ReadEntry, other: ReadEntry) =>
  one.action === 'support.view' && other.action === one.action && one.actor.id === other.actor.id && dayOf(one) === dayOf(other)

const dayOf = ({ at }: ReadEntry) => at.toISOString().slice(0, 10)
