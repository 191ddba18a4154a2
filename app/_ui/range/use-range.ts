import { useState } from 'react'
import type { RangeName, RangeValue } from './range-text'

/** Returns the chosen range, at first `initial`, and a function that changes it, also in the address, whose other parameters stay. */
export function useRange<Name extends RangeName>(initial: RangeValue<Name>) {
  const [range, setRange] = useState(initial)
  const change = (chosen: RangeValue<Name>) => {
    setRange(chosen)
    const address = new URLSearchParams(window.location.search)
    for (const name of ['range', 'from', 'to'] as const) {
      const value = chosen[name]
      if (value) address.set(name, value)
      else address.delete(name)
    }
    window.history.replaceState(null, '', address.size > 0 ? `?${address}` : window.location.pathname)
  }
  return [range, change] as const
}
