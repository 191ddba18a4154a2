import { useEffect, useRef, useState } from 'react'
import { writeListQuery } from '#server/modules/videos/address-schema'
import type { ListQuery } from '#server/modules/videos/list/list-schema'

/**
 * Returns what the list shows, a function that changes parts of it, and one that replaces it. The address holds it, so that it can be
 * bookmarked and shared; `initial` is the query of the address, and a navigation to another one is followed.
 */
export function useListQuery(initial: ListQuery): [ListQuery, (changes: Partial<ListQuery>) => void, (query: ListQuery) => void] {
  const [query, setQuery] = useState(initial)
  const address = writeListQuery(initial)
  const followed = useRef(address)
  useEffect(() => {
    if (followed.current === address) return
    followed.current = address
    setQuery(initial)
  }, [address, initial])
  useEffect(() => {
    const written = writeListQuery(query)
    const search = written ? `?${written}` : ''
    if (search !== window.location.search) window.history.replaceState(null, '', search || window.location.pathname)
  }, [query])
  const change = (changes: Partial<ListQuery>) =>
    setQuery((before) => {
      const after = withoutEmpty({ ...before, ...changes })
      return writeListQuery(after) === writeListQuery(before) ? before : after
    })
  return [query, change, (next) => setQuery(withoutEmpty(next))]
}

/** Queries without a filter are equal whether it was never set or was cleared. */
const withoutEmpty = (query: ListQuery): ListQuery =>
  Object.fromEntries(
    Object.entries(query).filter(([, value]) => value && (typeof value !== 'object' || Object.keys(value).length > 0)),
  ) as ListQuery
