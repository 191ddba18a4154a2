'use client'

import { TextInput } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { usePathname, useRouter, useSearchParams } from 'next/navigation'
import { useEffect, useRef } from 'react'
import { useTRPC } from '../../_trpc/client'
import classes from './SearchField.module.css'
import { addressOfSearch, isSecret } from './search-address'

/** Renders the search of every support page. `/` focuses it, and so does opening the search page, which shows the results. */
export function SearchField() {
  const trpc = useTRPC()
  const router = useRouter()
  const isHere = usePathname() === '/support'
  const term = useSearchParams().get('q')
  const field = useRef<HTMLInputElement>(null)
  const { mutate, variables } = useMutation(trpc.support.find.mutationOptions())
  useHotkeys([
    [
      '/',
      ({ target }) => {
        if ((target as Element).closest('[role=dialog]')) return
        field.current?.focus()
        field.current?.select()
      },
    ],
  ])
  useEffect(() => {
    if (isHere) field.current?.focus({ preventScroll: true })
  }, [isHere])
  // The address of a search was opened, or the browser went back to it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a search by the field runs at once
  useEffect(() => {
    if (!isHere || !term || !field.current) return
    field.current.value = term
    if (variables?.text !== term) mutate({ text: term })
  }, [isHere, term])
  const search = () => {
    const text = field.current?.value.trim()
    if (!field.current || !text) return
    mutate({ text })
    router.push(addressOfSearch(text))
    // It must not stay in view.
    if (isSecret(text)) field.current.value = ''
  }
  return (
    <search>
      <TextInput
        ref={field}
        classNames={{ input: classes.input }}
        aria-label="Search accounts"
        aria-keyshortcuts="/"
        placeholder="Name, email, key prefix or ID"
        leftSection={<IconSearch size={15} />}
        rightSection={<kbd className={classes.key}>/</kbd>}
        autoComplete="off"
        enterKeyHint="search"
        spellCheck={false}
        onKeyDown={({ key }) => key === 'Enter' && search()}
      />
    </search>
  )
}
