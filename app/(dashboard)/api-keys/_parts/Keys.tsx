'use client'

import { Button, SegmentedControl, Select, TextInput } from '@mantine/core'
import { IconKey, IconPlus, IconSearch } from '@tabler/icons-react'
import { useSuspenseQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import { useTRPC } from '../../../_trpc/client'
import { EmptyState } from '../../../_ui/page/EmptyState'
import { PageHeader } from '../../../_ui/page/PageHeader'
import { useDialog } from '../../../_ui/use-dialog'
import { useMay } from '../../_parts/permissions'
import { useAsked } from '../../_parts/use-asked'
import { useKeyDialogs } from './KeyDialogs'
import classes from './Keys.module.css'
import { KeyTable } from './KeyTable'
import { KINDS, type Kind, SORTS, type Sort, shownKeys, withoutConsoleKeys } from './shown-keys'

const NewKeyDialog = dynamic(() => import('../../_parts/keys/NewKeyDialog').then((module) => module.NewKeyDialog), { ssr: false })

/** Lists the account's API keys. */
export function Keys({ baseUrl }: { baseUrl: string }) {
  const mayChange = useMay('keys.change')
  const trpc = useTRPC()
  const { data: keys } = useSuspenseQuery(
    trpc.key.list.queryOptions(undefined, { refetchOnWindowFocus: true, staleTime: 5_000, refetchInterval: 15_000 }),
  )
  const [making, make] = useDialog()
  useAsked(mayChange ? ['new'] : [], () => make())
  const { ask, dialog } = useKeyDialogs(baseUrl)
  const [search, setSearch] = useState('')
  const [sort, setSort] = useState<Sort>('newest')
  const [kind, setKind] = useState<Kind>('ALL')
  // A search finds every key.
  const listed = search ? keys : withoutConsoleKeys(keys)
  const shown = shownKeys(listed, { search, sort, kind })

  const generate = mayChange && (
    <Button leftSection={<IconPlus size={15} />} onClick={() => make()}>
      Generate New Key
    </Button>
  )

  return (
    <>
      <PageHeader
        title="API Keys"
        purpose="Your backend sends a key in the x-service-key header. Keep keys on servers, never in a web page or app."
        action={generate}
      />
      {(listed.length > 0 || search) && (
        <div className={classes.bar}>
          <SegmentedControl aria-label="Filter" data={KINDS} value={kind} onChange={setKind} size="xs" />
          <Select
            className={classes.sort}
            aria-label="Sort"
            data={SORTS}
            value={sort}
            onChange={(value) => value && setSort(value)}
            allowDeselect={false}
            checkIconPosition="right"
          />
          <TextInput
            className={classes.search}
            aria-label="Search keys"
            placeholder="Search by name or prefix"
            leftSection={<IconSearch size={15} />}
            value={search}
            onChange={(event) => setSearch(event.currentTarget.value)}
          />
        </div>
      )}
      {shown.length > 0 ? (
        <KeyTable keys={shown} onAsk={mayChange ? ask : undefined} />
      ) : listed.length > 0 || search ? (
        <EmptyState framed icon={<IconSearch size={20} />} title={search ? `No results for “${search}”` : 'No keys'}>
          {search ? 'Search by part of a name, the prefix of a key, or a scope.' : 'No keys match this filter.'}
        </EmptyState>
      ) : (
        <EmptyState framed icon={<IconKey size={20} />} title="No keys yet" action={generate}>
          Generate a key so that your backend can list videos, read their metadata and issue playback tokens.
        </EmptyState>
      )}
      {making && <NewKeyDialog key={making.times} baseUrl={baseUrl} {...making.props} />}
      {dialog}
    </>
  )
}
