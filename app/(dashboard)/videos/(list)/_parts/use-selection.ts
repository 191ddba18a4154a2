import { useEffect, useMemo, useRef, useState } from 'react'

/** Selected videos of a list. `all`: every video that matches, also those that are not loaded. */
export interface Selection {
  ids: ReadonlySet<string>
  all: boolean
  count: number
  toggle: (id: string, isRange: boolean) => void
  toggleLoaded: () => void
  selectAll: () => void
  clear: () => void
}

/** Keeps the selection of a list whose loaded rows have the ids `loaded`, in order. `scope`: what the list shows; another scope has none. */
export function useSelection(loaded: readonly string[], scope: string): Selection {
  const [state, setState] = useState<{ scope: string; ids: ReadonlySet<string>; all: boolean }>({ scope, ids: new Set(), all: false })
  const anchor = useRef<string>(undefined)
  const current = state.scope === scope
  // Rows that left the list are not selected any more: nothing acts on what is not shown.
  const ids = useMemo(() => new Set(current ? loaded.filter((id) => state.all || state.ids.has(id)) : []), [current, loaded, state])
  const all = current && state.all
  const put = (next: Iterable<string>, whole = false) => setState({ scope, ids: new Set(next), all: whole })
  const clear = () => put([])

  useEffect(() => {
    if (ids.size === 0) return
    const onKey = (event: KeyboardEvent) => {
      const elsewhere = (event.target as Element | null)?.closest('[role=dialog], [role=menu], [role=listbox], input:not([type=checkbox])')
      if (event.key === 'Escape' && !event.defaultPrevented && !elsewhere) setState({ scope, ids: new Set(), all: false })
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [ids.size, scope])

  const toggle = (id: string, isRange: boolean) => {
    const next = new Set(ids)
    const on = !ids.has(id)
    const from = isRange && anchor.current !== undefined ? loaded.indexOf(anchor.current) : -1
    const at = loaded.indexOf(id)
    const range = from < 0 ? [id] : loaded.slice(Math.min(from, at), Math.max(from, at) + 1)
    for (const one of range) {
      if (on) next.add(one)
      else next.delete(one)
    }
    anchor.current = id
    put(next)
  }
  return {
    ids,
    all,
    count: ids.size,
    toggle,
    toggleLoaded: () => put(ids.size === loaded.length ? [] : loaded),
    selectAll: () => put(loaded, true),
    clear,
  }
}
