import type { Window } from './fault.ts'
import type { Outcome } from './outcomes.ts'

/** Returns whether a request may fail, because it ran in a window that permits it. */
const isExcused = ({ kind, beganAt, endedAt }: Outcome, windows: readonly Window[]) =>
  windows.some(
    ({ fault: { mayFail }, beganAt: from, mayFailUntil: until }) =>
      mayFail && (mayFail.kinds === 'all' || mayFail.kinds.includes(kind)) && endedAt >= from && beganAt <= until,
  )

/** Returns one line for each failed request that no window permits. */
export const unexcused = (outcomes: readonly Outcome[], windows: readonly Window[]): string[] =>
  outcomes
    .filter((one) => one.failed && !isExcused(one, windows))
    .map(({ kind, reason, beganAt }) => `${kind} failed ${during(beganAt, windows)}: ${reason}`)

function during(at: number, windows: readonly Window[]): string {
  const window = windows.find(({ beganAt, endedAt }) => at >= beganAt && at <= endedAt)
  return window ? `${seconds(at - window.beganAt)} s into “${window.fault.name}”` : 'outside of every fault'
}

const seconds = (ms: number) => (ms / 1_000).toFixed(1)

/** Returns a Markdown table with a row for each fault: the seconds in which requests may fail, and what happened. */
export function faultTable(outcomes: readonly Outcome[], windows: readonly Window[]): string {
  const rows = windows.map(({ fault, beganAt, mayFailUntil, endedAt }) => {
    // By their end: a request that a fault interrupts has begun before it.
    const own = outcomes.filter((one) => one.endedAt >= beganAt && one.endedAt <= endedAt)
    const failed = own.filter((one) => one.failed)
    const kinds = fault.mayFail?.kinds === 'all' ? 'any' : fault.mayFail?.kinds.join(', ')
    const last = Math.max(...failed.map((one) => one.endedAt))
    return [
      fault.name,
      fault.mayFail ? `${kinds}: ${seconds(mayFailUntil - beganAt)} s` : 'none',
      own.length.toLocaleString('en-US'),
      failed.length,
      failed.length > 0 ? `${seconds(last - beganAt)} s` : '',
    ]
  })
  const header = ['fault', 'may fail', 'requests', 'failed', 'last failure after']
  return [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** Returns how many failures of each kind there were, with an example. */
export function failureTable(outcomes: readonly Outcome[]): string {
  const groups = Map.groupBy(
    outcomes.filter(({ failed }) => failed),
    ({ kind, status, reason }) => `${kind} ${status} ${/"code":"(\w+)"/.exec(reason)?.[1] ?? ''}`,
  )
  return [...groups].map(([name, { length }]) => `  ${String(length).padStart(5)}  ${name}`).join('\n')
}
