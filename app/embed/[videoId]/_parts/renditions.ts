import type Hls from 'hls.js'
import type { DynamicRange } from './smooth-codecs.ts'

interface Rendition {
  id: string
  width: number
  height: number
  bitrate: number
}

/**
 * The `videoRenditions` that Media Chrome's quality menu reads from its media element, synchronized with hls.js's levels. It must be on the
 * element before the controls load, and stays empty with native playback.
 */
export class Renditions extends EventTarget {
  /** The viewer's choice; -1 is automatic. */
  chosen = -1
  private hls: Hls | undefined
  private list: Rendition[] = []
  /** The level of each of them. */
  private levels: number[] = []

  /**
   * Reads the levels that `hls` found and plays: those of AV1 in one of these dynamic ranges, or else of H.264. That resets the viewer's choice
   * there: the rendition of the same size is chosen again.
   */
  follow(hls: Hls, av1: readonly DynamicRange[]): void {
    this.hls = hls
    const wanted = this.list[this.chosen]
    this.levels = playedLevels(hls, av1)
    this.list = this.levels.map((level, at) => {
      const { width = 0, height = 0, bitrate = 0 } = hls.levels[level] ?? {}
      return { id: String(at), width, height, bitrate }
    })
    for (const [at, rendition] of this.list.entries()) Object.defineProperty(this, at, { value: rendition, configurable: true })
    if (wanted) {
      this.chosen = this.list.findIndex(({ width, height }) => width === wanted.width && height === wanted.height)
      if (this.chosen >= 0) hls.loadLevel = this.levelOf(this.chosen)
    }
    this.dispatchEvent(new Event('addrendition'))
  }

  get length(): number {
    return this.list.length
  }

  [Symbol.iterator](): Iterator<Rendition> {
    return this.list[Symbol.iterator]()
  }

  /** -1 is automatic. */
  get selectedIndex(): number {
    return this.hls ? this.levels.indexOf(this.hls.manualLevel) : -1
  }

  set selectedIndex(index: number) {
    this.chosen = index
    if (!this.hls) return
    this.hls.nextLevel = this.levelOf(index)
    this.dispatchEvent(new Event('change'))
  }

  private levelOf(index: number): number {
    return this.levels[index] ?? -1
  }
}

function playedLevels({ levels }: Hls, ranges: readonly DynamicRange[]): number[] {
  const all = [...levels.entries()].map(([at, level]) => ({ at, level, isAv1: Boolean(level.videoCodec?.startsWith('av01')) }))
  const av1 = all.filter(({ level, isAv1 }) => isAv1 && ranges.includes(level.videoRange))
  return (av1.length > 0 ? av1 : all.filter(({ isAv1 }) => !isAv1)).map(({ at }) => at)
}
