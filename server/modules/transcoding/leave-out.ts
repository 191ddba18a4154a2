/** Largest share of the bytes of the next higher rendition with which a lower one is stored: fewer saved bytes help no viewer. */
const MOST_SHARE = 0.9

interface Choice<Rendition> {
  /** Highest first, at least the highest. */
  kept: Rendition[]
  leftOut: { rendition: Rendition; above: Rendition }[]
}

/**
 * Chooses the renditions, highest first, that a video offers: one that saves less than a tenth of the bytes of the next higher offered one is
 * left out, as players show the higher one for the same bytes. Pure. Decision 104.
 */
export function leaveOutUseless<Rendition extends { bytes: number }>(renditions: readonly Rendition[]): Choice<Rendition> {
  const kept: Rendition[] = []
  const leftOut: Choice<Rendition>['leftOut'] = []
  for (const rendition of renditions) {
    const above = kept.at(-1)
    if (above && rendition.bytes > above.bytes * MOST_SHARE) leftOut.push({ rendition, above })
    else kept.push(rendition)
  }
  return { kept, leftOut }
}
