'use client'

import { Button, Group, Stack, TextInput } from '@mantine/core'
import { schemaResolver } from '@mantine/form'
import { IconSearch } from '@tabler/icons-react'
import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { FindAnswer, Found } from '#server/modules/backoffice/support/find'
import { useTRPC } from '../../_trpc/client'
import { FormError } from '../../_ui/form/FormError'
import { showAtFields } from '../../_ui/form/form-errors'
import { lazySchema } from '../../_ui/form/lazy-schema'
import { useForm } from '../../_ui/form/use-form'
import { IdChip } from '../../_ui/IdChip'
import { Link } from '../../_ui/Link'
import { Panel } from '../../_ui/Panel'
import { EmptyState } from '../../_ui/page/EmptyState'
import { PageHeader } from '../../_ui/page/PageHeader'
import { StatusBadge } from '../../_ui/StatusBadge'
import { type Column, Table } from '../../_ui/Table'
import { addressOf } from './addresses'
import classes from './Find.module.css'
import { TierBadge } from './TierBadge'

const schema = lazySchema(async () => (await import('#server/modules/backoffice/support/schema')).findInput)

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
    'This request is not in the log. The log contains requests of the last 7 days that used a known API key or playback token. When traffic is high, successful requests are sampled. Search by key prefix or video ID instead.',
  token:
    'No logged request used this token. The log contains requests of the last 7 days and samples successful requests when traffic is high. Paste the full token to find its video.',
  'key-value': 'The format is valid, but no account has this API key. It may be from another installation.',
  'key-prefix': 'No account has an API key with this prefix. Prefixes are case-sensitive.',
}

/** Secrets are searched for but never put into the address. */
const isSecret = (text: string) => /^(ak_(live|test)_|pt_)/.test(text.trim())

/** Renders one search field for every identifier of an account. */
export function Find() {
  const trpc = useTRPC()
  const { data: recent } = useSuspenseQuery(trpc.support.recent.queryOptions())
  const find = useMutation(trpc.support.find.mutationOptions())
  const form = useForm({ initialValues: { text: '' }, validate: schemaResolver(schema) })
  const field = useRef<HTMLInputElement>(null)
  const look = (text: string) => find.mutate({ text }, { onError: showAtFields(form) })

  // biome-ignore lint/correctness/useExhaustiveDependencies: the term in the address is searched for once
  useEffect(() => {
    const asked = new URLSearchParams(window.location.search).get('q')
    if (!asked) return
    form.setValues({ text: asked })
    look(asked)
  }, [])

  useEffect(() => field.current?.focus({ preventScroll: true }), [])

  const submit = form.onSubmit(({ text }) => {
    window.history.replaceState(null, '', isSecret(text) ? window.location.pathname : `?q=${encodeURIComponent(text.trim())}`)
    look(text)
  })

  return (
    <>
      <PageHeader
        title="Search accounts"
        purpose="Enter a name, email address, key prefix or ID. Views are recorded in the customer’s audit log."
      />
      <form onSubmit={submit} noValidate>
        <Group align="flex-start" gap="xs" wrap="nowrap" mb="lg">
          <TextInput
            className={classes.field}
            size="md"
            aria-label="Search accounts"
            placeholder="Name, email, key prefix or ID"
            leftSection={<IconSearch size={17} />}
            autoComplete="off"
            spellCheck={false}
            // The page is its search: nothing before it is worth a stop.
            ref={field}
            {...form.getInputProps('text')}
          />
          <Button type="submit" size="md" loading={form.submitting || find.isPending}>
            Search
          </Button>
        </Group>
      </form>
      <Stack gap="lg">
        <FormError error={find.error} form={form} />
        {find.data && <Results answer={find.data} />}
        {!find.data && recent.length > 0 && (
          <Panel title="Recently viewed" flush>
            <ul className={classes.recent}>
              {recent.map(({ accountId, name, tier }) => (
                <li key={accountId}>
                  <Link href={`/support/accounts/${accountId}`} className={`${classes.link} rg-touch`}>
                    {name}
                  </Link>
                  <TierBadge tier={tier} />
                </li>
              ))}
            </ul>
          </Panel>
        )}
        {!find.data && recent.length === 0 && (
          <div className={classes.none}>
            <EmptyState icon={<IconSearch size={20} />} title="Search for an account">
              Enter part of an account name, email address or key prefix, or the full ID of an account or of anything in it, such as a
              video, request or webhook endpoint. Full API keys and playback tokens work too. A pasted API key is hashed and not stored.
            </EmptyState>
          </div>
        )}
      </Stack>
    </>
  )
}

function Results({ answer: { by, found } }: { answer: FindAnswer }) {
  if (found.length === 0) {
    return (
      <div className={classes.none}>
        <EmptyState icon={<IconSearch size={20} />} title={`${WAYS[by]}: no results`}>
          {NOTHING[by] ?? 'Check that you pasted the full value.'}
        </EmptyState>
      </div>
    )
  }
  return (
    <div aria-live="polite">
      <p className={classes.by}>
        {WAYS[by]}: {found.length === 20 ? 'first 20 results' : found.length}
      </p>
      <Table label="Results" columns={COLUMNS} rows={found} keyOf={({ accountId, subject }) => `${accountId} ${subject}`} />
    </div>
  )
}

const COLUMNS: Column<Found>[] = [
  {
    title: 'Account',
    phone: 'wide',
    cell: (found) => (
      <Link href={addressOf(found)} className={`${classes.link} rg-row-link`}>
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
