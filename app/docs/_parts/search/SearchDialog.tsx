'use client'

import { IconSearch } from '@tabler/icons-react'
import { useRouter } from 'next/navigation'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import classes from './Search.module.css'
import { loadIndex, type Result, type SearchIndex } from './search-index'

const optionId = (at: number) => `docs-result-${at}`

/** Searches the docs while the user types. Opens each time `times` grows. */
export function SearchDialog({ times }: { times: number }) {
  const router = useRouter()
  const dialog = useRef<HTMLDialogElement>(null)
  const [index, setIndex] = useState<SearchIndex>()
  const [failed, setFailed] = useState(false)
  const [query, setQuery] = useState('')
  const [chosen, setChosen] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change of `times` opens it, and loads the index again after a failure
  useEffect(() => {
    if (!dialog.current?.open) dialog.current?.showModal()
    if (index) return
    setFailed(false)
    loadIndex().then(setIndex, () => setFailed(true))
  }, [times])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the marked option changes with the choice and the query
  useEffect(() => {
    document.getElementById(optionId(chosen))?.scrollIntoView({ block: 'nearest' })
  }, [chosen, query])

  const asked = query.trim()
  const results: Result[] = (asked && index?.find(asked)) || []
  const open = (result: Result | undefined) => {
    if (!result) return
    dialog.current?.close()
    router.push(result.href)
  }
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (event.key === 'Enter') open(results[chosen])
    else if (step && results.length > 0) setChosen((before) => (before + step + results.length) % results.length)
    else return
    event.preventDefault()
  }

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it, which the browser implements
    <dialog
      ref={dialog}
      className={classes.dialog}
      aria-label="Search the docs"
      onClick={({ target }) => target === dialog.current && dialog.current.close()}
    >
      <div className={classes.search}>
        <IconSearch size={17} />
        <input
          autoFocus
          type="text"
          role="combobox"
          aria-label="Search the docs"
          aria-expanded={results.length > 0}
          aria-controls="docs-results"
          aria-autocomplete="list"
          aria-activedescendant={results.length > 0 ? optionId(chosen) : undefined}
          placeholder="Search guides, operations and errors"
          autoComplete="off"
          spellCheck={false}
          value={query}
          onKeyDown={press}
          onChange={({ currentTarget }) => {
            setQuery(currentTarget.value)
            setChosen(0)
          }}
        />
        <button type="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </div>
      <p role="status" className={classes.status}>
        {statusOf({ asked, failed, isLoaded: index !== undefined, count: results.length })}
      </p>
      <div role="listbox" id="docs-results" aria-label="Results" className={classes.results} hidden={results.length === 0}>
        {results.map((result, at) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys of the list
          <div
            key={result.href}
            id={optionId(at)}
            role="option"
            tabIndex={-1}
            aria-selected={at === chosen}
            className={classes.option}
            onClick={() => open(result)}
            onPointerMove={() => setChosen(at)}
          >
            <span className={classes.title}>
              {result.title}
              {result.title !== result.page && <small>{result.page}</small>}
            </span>
            <span className={classes.excerpt}>
              {/* biome-ignore-start lint/suspicious/noArrayIndexKey: the pieces of an excerpt never change places */}
              {result.excerpt.map(({ text, isFound }, place) => (isFound ? <mark key={place}>{text}</mark> : text))}
              {/* biome-ignore-end lint/suspicious/noArrayIndexKey: the pieces of an excerpt never change places */}
            </span>
          </div>
        ))}
      </div>
    </dialog>
  )
}

interface Status {
  asked: string
  failed: boolean
  isLoaded: boolean
  count: number
}

/** Returns what the search says above its results. */
function statusOf({ asked, failed, isLoaded, count }: Status): string {
  if (failed) return 'Search could not be loaded. Close it and open it again.'
  if (!asked) return 'Type a word, an operation, a field or an error code.'
  if (!isLoaded) return 'Searching…'
  if (count === 0) return `No results for “${asked}”.`
  return count === 1 ? '1 result' : `${count} results`
}
