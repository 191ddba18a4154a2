'use client'

import { Group, Skeleton, Stack } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { type MutationState, useMutationState, useSuspenseQuery } from '@tanstack/react-query'
import { useSearchParams } from 'next/navigation'
import type { FindAnswer, Found } from '#server/modules/backoffice/support/find'
import type { FindInput } from '#server/modules/backoffice/support/schema'
import { useTRPC } from '../../_trpc/client'
import { formMessage } from '../../_ui/form/form-errors'
import { IdChip } from '../../_ui/IdChip'
import { Link } from '../../_ui/Link'
import { Notice } from '../../_ui/Notice'
import { Panel } from '../../_ui/Panel'
import { EmptyState } from '../../_ui/page/EmptyState'
import { PageHeader } from '../../_ui/page/PageHeader'
import { StatusBadge } from '../../_ui/StatusBadge'
import { type Column, Table } from '../../_ui/Table'
import classes from './Find.module.css'
import lists from './Lists.module.css'
import { isSecret } from './search-address'
import { TierBadge } from './TierBadge'

const WAYS: Record<FindAnswer['by'], string> = {
  account: 'Account ID',
  user: 'User ID',
  key: 'Key ID',
  'key-value': 'API key',
  'key-prefix': 'Key prefix',
  video: 'Video ID',
  request: 'Request ID',
  token: 'Playback token',
  endpoint: 'Webhook endpoint ID',
  event: 'Event ID',
  upload: 'Upload ID',
  collection: 'Collection ID',
  link: 'Share link ID',
  payment: 'Payment ID',
  'quota-request': 'Quota request ID',
  approval: 'Approval ID',
  invitation: 'Invitation ID',
  words: 'Name or email',
}

const NOTHING: Partial<Record<FindAnswer['by'], string>> = {
  request:
    'The log has no such request. It keeps requests with a known API key or playback token for 7 days, and under heavy traffic only a sample of successful ones. Try the key prefix or the video ID.',
  token:
    'No request in the log used this token. The log covers 7 days, and under heavy traffic only a sample of successful requests. Paste the full token to find its video.',
  'key-value': 'This looks like an API key, but no account has it. It may belong to another installation.',
  'key-prefix': 'No API key has this prefix. Prefixes are case-sensitive.',
}

/** Shows the results of the search in the header; before a search the accounts that the staff member viewed last. */
export function Find() {
  const trpc = useTRPC()
  const { data: recent } = useSuspenseQuery(trpc.support.recent.queryOptions())
  const address = useSearchParams()
  const filters = { mutationKey: trpc.support.find.mutationKey() }
  const searches = useMutationState({ filters, select: ({ state }) => state as MutationState<FindAnswer, Error, FindInput> })
  const term = address.get('q')
  const last = searches.at(-1)
  const lastText = last?.variables?.text
  // A result stays until the address has another search.
  const find = term !== null && lastText === term ? last : address.has('pasted') && lastText && isSecret(lastText) ? last : undefined
  const isIdle = !find && term === null
  return (
    <>
      <PageHeader
        title="Search accounts"
        purpose="By name, email, key prefix or ID, from any support page (press /). The audit log of each account in the results records your search."
      />
      <Stack gap="lg">
        {find?.error && <Notice tone="bad">{formMessage(find.error, [])}</Notice>}
        {!isIdle && !find?.data && !find?.error && <Skeleton height={120} role="status" aria-label="Searching" />}
        {find?.data && <Results answer={find.data} />}
        {isIdle && recent.length > 0 && (
          <Panel title="Recently viewed" flush>
            <ul className={classes.recent}>
              {recent.map(({ accountId, name, tier }) => (
                <li key={accountId}>
                  <Link href={`/support/accounts/${accountId}`} className={`${lists.link} rg-touch`}>
                    {name}
                  </Link>
                  <TierBadge tier={tier} />
                </li>
              ))}
            </ul>
          </Panel>
        )}
        {isIdle && recent.length === 0 && (
          <EmptyState framed icon={<IconSearch size={20} />} title="Search for an account">
            Enter part of a name, email address or key prefix, or a full ID: of an account, video, request, webhook endpoint and so on. You
            can also paste an API key or a playback token. We hash a pasted API key and do not store it.
          </EmptyState>
        )}
      </Stack>
    </>
  )
}

function Results({ answer: { by, found } }: { answer: FindAnswer }) {
  if (found.length === 0) {
    return (
      <EmptyState framed icon={<IconSearch size={20} />} title={`${WAYS[by]}: no results`}>
        {NOTHING[by] ?? 'Check that you pasted the full value.'}
      </EmptyState>
    )
  }
  return (
    <div aria-live="polite">
      <p className={lists.about}>
        {WAYS[by]}: {found.length === 20 ? 'first 20 results' : found.length}
      </p>
      <Table label="Results" columns={COLUMNS} rows={found} keyOf={({ accountId, subject }) => `${accountId} ${subject}`} />
    </div>
  )
}

/** Returns the page of an account, or of what was found in it. */
function addressOf({ accountId, page, subject }: Found): string {
  const account = `/support/accounts/${accountId}`
  if (page === 'overview') return account
  const isItem = subject !== null && (page === 'videos' || page === 'requests' || page === 'webhooks')
  return isItem ? `${account}/${page}/${subject}` : `${account}/${page}`
}

const COLUMNS: Column<Found>[] = [
  {
    title: 'Account',
    phone: 'wide',
    cell: (found) => (
      <Link href={addressOf(found)} className={`${lists.link} rg-row-link`}>
        {found.name}
      </Link>
    ),
  },
  { title: 'Owner', phone: 'wide', cell: ({ owner }) => owner ?? '–' },
  {
    title: 'Tier',
    cell: ({ tier, suspended }) => (
      <Group gap={6}>
        <TierBadge tier={tier} />
        {suspended && <StatusBadge tone="bad">Suspended</StatusBadge>}
      </Group>
    ),
  },
  { title: 'Match', cell: ({ subject, accountId }) => <IdChip id={subject ?? accountId} /> },
]
