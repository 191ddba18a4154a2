import type { ReadEntry } from './read.ts'

/** Views of the account by one member of staff on one UTC day, with no other change between them. */
export interface FoldedViews {
  count: number
  /** Time of the first. */
  since: Date
  /** Names of the pages, the latest first, each once. */
  pages: string[]
}

/** An entry of the log as listed: `views` is present when it represents several views. */
export interface ListedEntry extends ReadEntry {
  views?: FoldedViews
}

/** A row of the list, and the oldest entry that it represents. */
export interface Folded {
  shown: ListedEntry
  last: string
}

/**
 * Returns the entries, newest first, with consecutive views by one member of staff as one row at the time of the newest: one row for each page
 * would hide the changes among them.
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
