/** A stream's packets whose times follow each other, in file order. Seconds. */
export interface Run {
  fromSec: number
  /** When its last frame is shown, and when that ends according to the file. */
  lastSec: number
  endSec: number
  packets: number
  /** Numbers of its first and last packet within the stream. A run can continue after another one. */
  first: number
  last: number
}

/** When a stream's packets are shown. */
export interface StreamTimes {
  /** In the order of their first packets. */
  runs: readonly Run[]
  packets: number
  /** Usual distance between packets, if most have it. */
  frameSec: number | undefined
}

/** Runs that a packet can continue: the latest ones. A wrong time interrupts a run, and so do reordered frames around a pause. */
const OPEN_RUNS = 3

/** Maximum number of runs that count: a file of small packets, each at a different time, would fill the memory. */
const MOST_RUNS = 100_000

/** Collects the times of a stream's packets. Packets whose times differ by more than `jumpSec` belong to different runs. */
export function timesCollector(jumpSec: number) {
  const runs: (Run & { recentSec: number })[] = []
  /** The one that the last packet belongs to. */
  let current: (Run & { recentSec: number }) | undefined
  const distances = distanceCounter()
  let packets = 0
  return {
    add(sec: number, durationSec: number) {
      const at = packets++
      distances.add(sec)
      const endSec = sec + Math.max(0, durationSec || 0)
      const continues = ({ recentSec }: { recentSec: number }) => Math.abs(sec - recentSec) <= jumpSec
      const found = current && continues(current) ? current : runs.slice(-OPEN_RUNS).findLast(continues)
      const run = found ?? (runs.length < MOST_RUNS ? undefined : current)
      if (!run) {
        current = { fromSec: sec, lastSec: sec, endSec, packets: 1, first: at, last: at, recentSec: sec }
        runs.push(current)
        return
      }
      current = run
      run.fromSec = Math.min(run.fromSec, sec)
      if (sec >= run.lastSec) Object.assign(run, { lastSec: sec, endSec })
      run.packets++
      run.last = at
      run.recentSec = sec
    },
    finish: (): StreamTimes => ({
      runs: runs.map(({ recentSec: _, ...run }) => run),
      packets,
      frameSec: distances.usual(),
    }),
  }
}

/** Returns the times shifted later by some seconds. */
export const shifted = ({ runs, ...times }: StreamTimes, bySec: number): StreamTimes => ({
  ...times,
  runs: runs.map((run) => ({ ...run, fromSec: run.fromSec + bySec, lastSec: run.lastSec + bySec, endSec: run.endSec + bySec })),
})

/** Maximum number of frames that a packet can precede in the file and follow in time, with some margin. */
const REORDERED = 32
/** Distances are counted in steps of 0.1 ms, because Matroska rounds times to milliseconds. */
const STEP_SEC = 0.0001
const ROUNDED_STEPS = 15
/** Share of all distances that are equal in a recording with pauses. If the rate varies, fewer are. */
const MOST = 0.8
/** Shorter distances do not count: the times are wrong. */
const AT_ONCE_SEC = 0.001
/** Longer distances are pauses. */
const PAUSE_SEC = 1

/** Counts how often frames are shown how long after each other. */
function distanceCounter() {
  const counts = new Map<number, { count: number; sumSec: number }>()
  const waiting: number[] = []
  let total = 0
  let beforeSec = Number.NaN
  const next = () => {
    const sec = waiting.shift() as number
    const distance = sec - beforeSec
    beforeSec = sec
    if (!(distance > AT_ONCE_SEC)) return
    total++
    const steps = Math.round(distance / STEP_SEC)
    if (distance > PAUSE_SEC) return
    const same = counts.get(steps)
    if (!same) counts.set(steps, { count: 1, sumSec: distance })
    else {
      same.count++
      same.sumSec += distance
    }
  }
  return {
    add(sec: number) {
      waiting.splice(waiting.findLastIndex((one) => one <= sec) + 1, 0, sec)
      if (waiting.length > REORDERED) next()
    },
    /** Returns the mean of the distances near the median, in seconds. Undefined if too few are near it. */
    usual(): number | undefined {
      while (waiting.length > 0) next()
      const sorted = [...counts].sort(([a], [b]) => a - b)
      let before = 0
      const median = sorted.find(([, { count }]) => {
        before += count
        return before >= total / 2
      })?.[0]
      if (median === undefined) return undefined
      const near = sorted.filter(([steps]) => Math.abs(steps - median) <= ROUNDED_STEPS).map(([, one]) => one)
      const found = near.reduce((sum, { count }) => sum + count, 0)
      return found >= total * MOST ? near.reduce((sum, { sumSec }) => sum + sumSec, 0) / found : undefined
    },
  }
}
