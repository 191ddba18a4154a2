import autocannon from 'autocannon'

/** One address to put under load. */
export interface Target {
  url: string
  method?: 'GET' | 'POST'
  headers?: Record<string, string>
}

/** The number of measurements of each value; the median counts. */
export const ROUNDS = 5

/** Returns a target that is requested with an API key. */
export const keyed = (base: string, path: string, key: string, method: 'GET' | 'POST' = 'GET'): Target => ({
  url: base + path,
  method,
  headers: { 'x-service-key': key },
})

export interface Measured {
  /** Requests per second. */
  rate: number
  /** All requests with a response. */
  total: number
  /** Milliseconds. */
  p50: number
  p99: number
}

/** Loads a target for `seconds`. Throws if a response has a status other than `status`: a fast error is not a result. */
export async function load(target: Target, { status = 200, seconds = 2, connections = 16, rate }: LoadOptions = {}): Promise<Measured> {
  const result = await autocannon({ ...target, duration: seconds, connections, overallRate: rate })
  const codes = Object.keys(result.statusCodeStats ?? {})
  // A machine that is too busy: when the benchmark then stops its database, the server logs these requests as 503.
  if (codes.length === 0 && result.errors === 0) throw new Error(`${target.url.slice(0, 80)} sent no response within ${seconds} s`)
  if (result.errors > 0 || codes.length !== 1 || codes[0] !== String(status)) {
    throw new Error(
      `${target.method ?? 'GET'} ${target.url.slice(0, 80)} returned ${JSON.stringify(result.statusCodeStats)} with ${result.errors} errors`,
    )
  }
  const { total } = result.requests
  return { rate: total / result.duration, total, p50: result.latency.p50, p99: result.latency.p99 }
}

export interface LoadOptions {
  status?: number
  seconds?: number
  connections?: number
  /** Requests per second to keep to, instead of the maximum. */
  rate?: number
}

export const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number

/** Measures two values in turn, A B A B …, so that a change in the machine's speed affects both. */
export async function interleaved(
  rounds: number,
  a: () => Promise<number>,
  b: () => Promise<number>,
): Promise<{ a: number; b: number; ratio: number }> {
  const pairs: { a: number; b: number }[] = []
  for (let round = 0; round < rounds; round++) pairs.push({ a: await a(), b: await b() })
  return {
    a: median(pairs.map((pair) => pair.a)),
    b: median(pairs.map((pair) => pair.b)),
    ratio: median(pairs.map((pair) => pair.a / pair.b)),
  }
}
