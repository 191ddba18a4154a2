import { plainLines } from '#server/platform/speech/cue-files'
import { COLUMNS_PER_SEC, CUE_LINES, columnsOf, LINE_COLUMNS, LONGEST_SEC, SHORTEST_SEC } from '#server/platform/speech/cue-rules'
import type { Cue } from './cue-document.ts'

const known = new WeakMap<Cue, { nextMs: number | undefined; problems: string[] }>()

/** Returns what makes a cue hard to read, in short sentences: by the rules that generated captions follow. `nextMs`: when the next one begins. */
export function problemsOf(cue: Cue, nextMs: number | undefined): string[] {
  const before = known.get(cue)
  if (before && before.nextMs === nextMs) return before.problems
  const problems = read(cue, nextMs)
  known.set(cue, { nextMs, problems })
  return problems
}

function read({ startMs, endMs, vtt }: Cue, nextMs: number | undefined): string[] {
  const problems: string[] = []
  if (nextMs !== undefined && endMs > nextMs) problems.push('Overlaps the next caption')
  if (vtt === '') return [...problems, 'No text yet']
  const lines = plainLines(vtt)
  const columns = lines.map(columnsOf)
  const seconds = (endMs - startMs) / 1_000
  const perSecond = columns.reduce((sum, one) => sum + one, 0) / seconds
  if (lines.length > CUE_LINES) problems.push(`${lines.length} lines (at most ${CUE_LINES})`)
  const longest = columns.reduce((most, one) => Math.max(most, one), 0)
  if (longest > LINE_COLUMNS) problems.push(`${longest} characters in a line (at most ${LINE_COLUMNS})`)
  if (seconds < SHORTEST_SEC) problems.push(`On screen for ${seconds.toFixed(2)} s (at least ${SHORTEST_SEC} s)`)
  if (seconds > LONGEST_SEC) problems.push(`On screen for ${seconds.toFixed(1)} s (at most ${LONGEST_SEC} s)`)
  if (perSecond > COLUMNS_PER_SEC) problems.push(`${Math.ceil(perSecond)} characters per second (at most ${COLUMNS_PER_SEC})`)
  return problems
}
