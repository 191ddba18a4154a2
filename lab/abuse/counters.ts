/** Turns of the event loop above 50 ms of processor time. An attack must cause none. */
export const LONG_TURNS = 'reelgate_slow_turns_total'
/** Work that was refused, by its queue. */
export const REFUSED = 'reelgate_refused_turns_total'

/** Values of a process's metrics, by name and labels as they are written. */
export type Counters = Map<string, number>

/** Reads `/metrics`. */
export async function readCounters(adminPort: number): Promise<Counters> {
  const response = await fetch(`http://127.0.0.1:${adminPort}/metrics`)
  const lines = (await response.text()).split('\n').filter((line) => !line.startsWith('#'))
  return new Map(
    lines.map((line) => {
      const cut = line.lastIndexOf(' ')
      return [line.slice(0, cut), Number(line.slice(cut + 1))]
    }),
  )
}

/** Returns how much the counters of a name grew, by their labels. Undefined if there is none of that name. */
export function growth(name: string, before: Counters, after: Counters): Map<string, number> | undefined {
  const all = [...after].filter(([series]) => series === name || series.startsWith(`${name}{`))
  if (all.length === 0) return undefined
  const grown = all.map(([series, value]): [string, number] => [series.slice(name.length), value - (before.get(series) ?? 0)])
  return new Map(grown.filter(([, more]) => more > 0))
}
