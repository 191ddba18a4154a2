/** The time window over which the speed is measured, milliseconds. */
const WINDOW_MS = 8_000
/** No speed is returned for a shorter time. */
const LEAST_MS = 500

export interface Pace {
  /** Bytes per second; undefined until measured. */
  speed: number | undefined
  secondsLeft: number | undefined
}

/** Computes an upload's speed and time left from the bytes sent over time. Times in milliseconds of any monotonic clock. */
export function transferRateMeter() {
  let samples: [at: number, sent: number][] = []
  return {
    /** `sent` of `total` bytes have been sent at `now`. */
    add(now: number, sent: number, total: number): Pace {
      // After a disconnection the server has less than was sent: the upload and the measurement restart from there.
      if (sent < (samples.at(-1)?.[1] ?? 0)) samples = []
      samples.push([now, sent])
      while (samples.length > 2 && now - (samples[0]?.[0] ?? now) > WINDOW_MS) samples.shift()
      const [since, had] = samples[0] ?? [now, sent]
      const speed = now - since > LEAST_MS ? ((sent - had) / (now - since)) * 1_000 : undefined
      return { speed, secondsLeft: speed ? (total - sent) / speed : undefined }
    },
    /** A pause does not count as slowness. */
    reset() {
      samples = []
    },
  }
}
