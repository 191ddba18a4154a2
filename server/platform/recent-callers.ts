/** Number of notes that are kept; a power of two. */
const KEPT = 128
/** Milliseconds after which a note says nothing about the present: a statement of the database may take so long. */
const TELLING_MS = 10_000

/** Who did something last, and when: an addition to two arrays, as it happens with every request. */
export class RecentCallers<Caller> {
  private readonly callers: (Caller | undefined)[] = Array(KEPT)
  private readonly times = new Float64Array(KEPT)
  private count = 0

  /** Notes that a caller does something at `now` (`performance.now()`). */
  note(caller: Caller, now = performance.now()): void {
    const at = this.count++ & (KEPT - 1)
    this.callers[at] = caller
    this.times[at] = now
  }

  /**
   * Returns at most `most` callers that did something last before the longest pause that ended after `since`, the last one first: whoever kept
   * the thread busy noted nothing meanwhile.
   */
  beforeLongestPause(since: number, now: number, most: number): Caller[] {
    let [next, longest, end] = [now, 0, this.count]
    const first = Math.max(0, this.count - KEPT)
    for (let note = this.count - 1; note >= first && next > since; note--) {
      const time = this.times[note & (KEPT - 1)] as number
      const pause = next - Math.max(time, since)
      if (pause > longest) [longest, end] = [pause, note + 1]
      next = time
    }
    const found = new Set<Caller>()
    for (let note = end - 1; note >= first && found.size < most; note--) {
      if ((this.times[note & (KEPT - 1)] as number) < since - TELLING_MS) break
      found.add(this.callers[note & (KEPT - 1)] as Caller)
    }
    return [...found]
  }
}
