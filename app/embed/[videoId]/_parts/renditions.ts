import type Hls from 'hls.js'

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

  /** Reads the levels that `hls` found, which resets the viewer's choice there: the rendition of the same size is chosen again. */
  follow(hls: Hls): void {
    this.hls = hls
    const wanted = this.list[this.chosen]
    this.list = hls.levels.map(({ width, height, bitrate }, at) => ({ id: String(at), width, height, bitrate }))
    for (const [at, rendition] of this.list.entries()) Object.defineProperty(this, at, { value: rendition, configurable: true })
    if (wanted) {
      this.chosen = this.list.findIndex(({ width, height }) => width === wanted.width && height === wanted.height)
      if (this.chosen >= 0) hls.loadLevel = this.chosen
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
    return this.hls?.manualLevel ?? -1
  }

  set selectedIndex(index: number) {
    this.chosen = index
    if (!this.hls) return
    this.hls.nextLevel = index
    this.dispatchEvent(new Event('change'))
  }
}
