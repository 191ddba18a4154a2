import type { SourceFacts } from './probe.ts'

interface Size {
  width: number
  height: number
}

type Facts = Pick<SourceFacts, 'width' | 'height' | 'interlaced' | 'coding'>

/** ffmpeg rotates frames before the first filter, using filters that need one size. Earlier versions' plans do not state the coded size. */
export const isSteady = ({ interlaced, coding }: Facts) => coding?.rotated === false && (!interlaced || coding.codedSize !== undefined)

/**
 * Returns input options with which video filters continue when the frame size changes. By default, ffmpeg restarts all of them, so that the
 * video starts over.
 */
export const steadyFilters = (facts: Facts): string[] => (isSteady(facts) ? ['-reinit_filter', '0'] : [])

/**
 * Returns filters that give frames one size before a deinterlacer. Not with `interl`, which makes ffmpeg write outside of frames of some
 * heights.
 */
export function oneSize(facts: Facts): string[] {
  const size = facts.coding?.codedSize
  return facts.interlaced && isSteady(facts) && size ? [`scale=${keptShape(size, facts)}`, padded(size)] : []
}

/** Returns the sides for `scale` so that each frame keeps its shape in a rendition's size (`padded`). */
export function keptShape({ width, height }: Size, facts: Facts): string {
  const shape = (facts.width / facts.height).toFixed(6)
  // Rendition sides are rounded.
  const near = Math.max(0.01, 1 / Math.min(facts.width, facts.height)).toFixed(4)
  const side = (most: number, share: string) => `'if(lt(abs(dar/${shape}-1),${near}),${most},max(2,2*trunc(${most}*min(1,${share})/2)))'`
  return `w=${side(width, `dar/${shape}`)}:h=${side(height, `${shape}/dar`)}:eval=frame`
}

/** Returns the filter that surrounds smaller frames with black. */
export const padded = ({ width, height }: Size): string => `pad=${width}:${height}:-1:-1:eval=frame`
