import type { QualitySummary } from '#server/modules/quality-receipts/schema'
import { formatDuration } from '../../../../_ui/format'

type Scores = QualitySummary['renditions'][number]['chunks'][number]
type Part = QualitySummary['parts'][number]

/** One cell of the strip: a part of the video, or consecutive ones where there are too many to draw. */
export interface QualityCell {
  startSec: number
  endSec: number
  /** VMAF; null where nothing was compared. */
  scores: Scores
  /** What it shows, in words. */
  label: string
}

export const formatScore = (score: number) => score.toFixed(1)

/** Combines the parts of a rendition into at most `most` cells: the mean by length, the worst of the other scores. */
export function qualityCells(parts: readonly Part[], chunks: readonly Scores[], most: number): QualityCell[] {
  const size = Math.max(1, Math.ceil(parts.length / most))
  const cells: QualityCell[] = []
  for (let at = 0; at < parts.length; at += size) {
    const group = parts.slice(at, at + size)
    const [first, last] = [group[0], group.at(-1)]
    if (!first || !last) continue
    const scores = combined(
      group.flatMap(({ startSec, endSec }, nr) => {
        const one = chunks[at + nr]
        return one ? [{ ...one, weight: endSec - startSec }] : []
      }),
    )
    const where = `${formatDuration(first.startSec)}–${formatDuration(last.endSec)}`
    cells.push({ startSec: first.startSec, endSec: last.endSec, scores, label: `${where}: ${inWords(scores)}` })
  }
  return cells
}

function combined(scores: readonly (NonNullable<Scores> & { weight: number })[]): Scores {
  if (scores.length === 0) return null
  const weight = scores.reduce((sum, one) => sum + one.weight, 0)
  return {
    mean: scores.reduce((sum, one) => sum + one.mean * one.weight, 0) / (weight || 1),
    p5: Math.min(...scores.map(({ p5 }) => p5)),
    min: Math.min(...scores.map(({ min }) => min)),
  }
}

const inWords = (scores: Scores) =>
  scores ? `VMAF ${formatScore(scores.mean)}, 5th percentile ${formatScore(scores.p5)}, minimum ${formatScore(scores.min)}` : 'not measured'

/** Describes the strip of a rendition for those who do not see it. */
export function describeQuality(
  { quality, vmaf, notMeasured }: QualitySummary['renditions'][number],
  cells: readonly QualityCell[],
): string {
  if (!vmaf) return `${quality}: not measured. ${notMeasured ?? ''}`
  const [worst] = cells.toSorted((a, b) => (a.scores?.min ?? 100) - (b.scores?.min ?? 100))
  const place = worst ? ` The minimum is between ${formatDuration(worst.startSec)} and ${formatDuration(worst.endSec)}.` : ''
  return `${quality}: ${inWords(vmaf)}.${place}`
}
