import type { SourceFacts } from './probe.ts'

interface Size {
  width: number
  height: number
}

type Facts = Pick<SourceFacts, 'width' | 'height' | 'interlaced' | 'coding'>

/** ffmpeg turns pictures before the first filter, by filters that need one size. Plans of earlier versions do not state the coded size. */
const isSteady = ({ interlaced, coding }: Facts) => coding?.rotated === false && (!interlaced || coding.codedSize !== undefined)

/**
 * Returns input options with which the filters of a picture go on when its size changes. By default ffmpeg begins again with all of them, so
 * that the picture starts over.
 */
export const steadyFilters = (facts: Facts): string[] => (isSteady(facts) ? ['-reinit_filter', '0'] : [])

/**
 * Returns the filters that give pictures one size before a deinterlacer. Not with `interl`, with which ffmpeg writes outside of pictures of some
 * heights.
 */
export function oneSize(facts: Facts): string[] {
  const size = facts.coding?.codedSize
  return facts.interlaced && isSteady(facts) && size ? [`scale=${keptShape(size, facts)}`, padded(size)] : []
}

/** Returns the sides of `scale` for pictures of which each keeps its shape in the size of a rendition (`padded`). */
export function keptShape({ width, height }: Size, facts: Facts): string {
  const shape = (facts.width / facts.height).toFixed(6)
  // Sides of renditions are rounded.
  const near = Math.max(0.01, 1 / Math.min(facts.width, facts.height)).toFixed(4)
  const side = (most: number, share: string) => `'if(lt(abs(dar/${shape}-1),${near}),${most},max(2,2*trunc(${most}*min(1,${share})/2)))'`
  return `w=${side(width, `dar/${shape}`)}:h=${side(height, `${shape}/dar`)}:eval=frame`
}

/** Returns the filter that surrounds smaller pictures with black. */
export const padded = ({ width, height }: Size): string => `pad=${width}:${height}:-1:-1:eval=frame`
