/** How far back the speed is measured, milliseconds. */
const WINDOW_MS = 8_000
/** Nothing is said of less than this. */
const LEAST_MS = 500

export interface Pace {
  /** Bytes a second; undefined until it can be told. */
  speed: number | undefined
  secondsLeft: number | undefined
}

/** Tells an upload's speed and time left from how much has been sent when. Times in milliseconds of any clock that runs on. */
export function speedometer() {
  let samples: [at: number, sent: number][] = []
  return {
    /** `sent` of `total` bytes have been sent at `now`. */
    add(now: number, sent: number, total: number): Pace {
      // After a cut the server has less than was sent: it goes on from there, and so does the measuring.
      if (sent < (samples.at(-1)?.[1] ?? 0)) samples = []
      samples.push([now, sent])
      while (samples.length > 2 && now - (samples[0]?.[0] ?? now) > WINDOW_MS) samples.shift()
      const [since, had] = samples[0] ?? [now, sent]
      const speed = now - since > LEAST_MS ? ((sent - had) / (now - since)) * 1_000 : undefined
      return { speed, secondsLeft: speed ? (total - sent) / speed : undefined }
    },
    /** A pause is no slowness. */
    reset() {
      samples = []
    },
  }
}
