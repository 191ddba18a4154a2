/** Largest share of the bytes of the next higher rendition with which a lower one is stored: fewer saved bytes help no viewer. */
const MOST_SHARE = 0.9
/** Average bits per second up to which a rendition is stored anyway: it takes little more than the sound. */
const LITTLE = 200_000

interface Sized {
  bytes: number
  averageBandwidth: number
}

interface Choice<Rendition> {
  /** Highest first, at least the highest. */
  kept: Rendition[]
  leftOut: { rendition: Rendition; above: Rendition }[]
}

/**
 * Chooses the renditions, highest first, that a video offers: one that saves less than a tenth of the bytes of the next higher offered one is
 * left out, as players show the higher one for the same bytes, unless it needs hardly any. Pure.
 */
export function leaveOutUseless<Rendition extends Sized>(renditions: readonly Rendition[]): Choice<Rendition> {
  const kept: Rendition[] = []
  const leftOut: Choice<Rendition>['leftOut'] = []
  for (const rendition of renditions) {
    const above = kept.at(-1)
    if (above && rendition.averageBandwidth > LITTLE && rendition.bytes > above.bytes * MOST_SHARE) leftOut.push({ rendition, above })
    else kept.push(rendition)
  }
  return { kept, leftOut }
}
