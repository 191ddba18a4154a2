import type { Row } from '../report.ts'
import { type Heard, KINDS, type Kind, type Samples } from './kinds.ts'

/** The rule: 95 of 100 requests take at most this many times as long as without the attack, or at most this many milliseconds. */
const WITHIN = 3
const WITHIN_MS = 60
/** A key is always refused within this time of the request that revokes it. */
const REVOKED_WITHIN_MS = 2_000
/** Memory during an attack, in multiples of memory without it. */
const MEMORY_WITHIN = 1.5
const MB = 1024 ** 2

/** What was measured of one attack. Memory in bytes, the highest. */
export interface Trial {
  attack: string
  quiet: Samples
  during: Samples
  memory: { quiet: number; during: number }
  /** Turns of the event loop that were too long; undefined where the service does not count them. */
  longTurns: number | undefined
}

/** Returns the row of the kind that suffered most, and one for everything that breaks the rule. */
export function judge({ attack, quiet, during, memory, longTurns = 0 }: Trial): Row[] {
  const slow = KINDS.map((kind) => latency(attack, kind, quiet[kind], during[kind])).sort((a, b) => b.ratio - a.ratio)
  const failures = KINDS.flatMap((kind) => failed(attack, kind, during[kind]))
  const rows = [
    memoryRow(attack, memory),
    ...(longTurns > 0 ? [none(`turns of the event loop above 50 ms in ${attack}`, longTurns, 1)] : []),
  ]
  return [...slow.filter(({ ratio }, at) => at === 0 || ratio >= 1), ...failures, ...rows.filter(({ ratio }) => ratio >= 1)]
}

/** Returns the value that 95 of 100 do not exceed. */
export const p95 = (values: readonly number[]): number => quantile(values, 0.95)

/** Returns the value that this part of all values does not exceed. */
export const quantile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(values.length * part) - 1)] ?? Number.NaN

function latency(attack: string, kind: Kind, quiet: Heard, during: Heard): Row {
  const isBounded = kind === 'revocation'
  const without = p95(quiet.took)
  // Failures have rows of their own.
  const rate = during.took.length === 0 ? 0 : isBounded ? Math.max(...during.took) : p95(during.took)
  const bound = isBounded ? REVOKED_WITHIN_MS : Math.max(WITHIN * without, WITHIN_MS)
  return {
    work: `${kind} in ${attack}`,
    baseline: isBounded ? 'bound' : `${WITHIN} × p95 of ${without.toFixed(1)} ms, or ${WITHIN_MS}`,
    ...{ rate, ceiling: bound, ratio: rate / bound, reach: 1, below: true, unit: 'ms' },
    p50: Number(quantile(during.took, 0.5).toFixed(1)),
    p99: Number(quantile(during.took, 0.99).toFixed(1)),
  }
}

function failed(attack: string, kind: Kind, { took, failed: reasons }: Heard): Row[] {
  if (reasons.length === 0) return []
  return [none(`failed: ${kind} in ${attack}: ${reasons[0]}`, reasons.length, took.length + reasons.length)]
}

/** A count that must be 0, of so many. */
const none = (work: string, rate: number, of: number): Row => ({
  ...{ work, baseline: 'none', rate, ceiling: of, ratio: rate, reach: 1, below: true, unit: '' },
})

/** Returns the row of the memory during an attack, or at another time. */
export function memoryRow(attack: string, { quiet, during }: Trial['memory']): Row {
  const bound = MEMORY_WITHIN * quiet
  const values = { rate: during / MB, ceiling: bound / MB, ratio: during / bound }
  return {
    work: `memory in ${attack}`,
    baseline: `${MEMORY_WITHIN} × ${Math.round(quiet / MB)} MB`,
    ...values,
    reach: 1,
    below: true,
    unit: 'MB',
  }
}

/** The row of an attack that the service, or the bystander, did not recover from. */
export const unmeasured = (attack: string, { message }: Error): Row => none(`not measured: ${attack}: ${message}`, 1, 1)

/** Adds samples of another round. */
export function add(to: Samples, more: Samples): void {
  for (const kind of KINDS) {
    to[kind].took.push(...more[kind].took)
    to[kind].failed.push(...more[kind].failed)
  }
}

export const noSamples = (): Samples => Object.fromEntries(KINDS.map((kind): [Kind, Heard] => [kind, { took: [], failed: [] }])) as Samples
