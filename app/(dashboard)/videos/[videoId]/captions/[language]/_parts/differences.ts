import type { Cue } from './cue-document.ts'

/** A place where two documents differ: a cue of each, or of one alone. */
export interface Difference {
  startMs: number
  mine?: Cue
  theirs?: Cue
}

const contentOf = ({ startMs, endMs, settings, vtt }: Cue) => `${startMs} ${endMs} ${settings}\n${vtt}`

/** Compares two documents, in order of time. Cues that begin at the same time are a pair. */
export function differences(mine: readonly Cue[], theirs: readonly Cue[]): Difference[] {
  const [inMine, inTheirs] = [mine, theirs].map((cues) => new Set(cues.map(contentOf))) as [Set<string>, Set<string>]
  const found: Difference[] = mine.filter((cue) => !inTheirs.has(contentOf(cue))).map((cue) => ({ startMs: cue.startMs, mine: cue }))
  const byStart = new Map(found.map((one) => [one.startMs, one]))
  for (const cue of theirs.filter((one) => !inMine.has(contentOf(one)))) {
    const pair = byStart.get(cue.startMs)
    if (pair && !pair.theirs) pair.theirs = cue
    else found.push({ startMs: cue.startMs, theirs: cue })
  }
  return found.sort((a, b) => a.startMs - b.startMs)
}
