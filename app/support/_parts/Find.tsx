'use client'

import { Button, Group, Stack, TextInput } from '@mantine/core'
import { schemaResolver, useForm } from '@mantine/form'
import { IconSearch } from '@tabler/icons-react'
import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import Link from 'next/link'
import { useEffect } from 'react'
import type { FindAnswer, Found } from '#server/modules/support/find'
import { useTRPC } from '../../_trpc/client'
import { EmptyState } from '../../_ui/EmptyState'
import { fieldErrors } from '../../_ui/form-errors'
import { IdChip } from '../../_ui/IdChip'
import { lazySchema } from '../../_ui/lazy-schema'
import { Notice } from '../../_ui/Notice'
import { PageHeader } from '../../_ui/PageHeader'
import { Panel } from '../../_ui/Panel'
import { StatusBadge } from '../../_ui/StatusBadge'
import { type Column, Table } from '../../_ui/Table'
import { addressOf } from './addresses'
import classes from './Find.module.css'
import { TierBadge } from './TierBadge'

const schema = lazySchema(async () => (await import('#server/modules/support/schema')).findInput)

const WAYS: Record<FindAnswer['by'], string> = {
  account: 'Account id',
  user: 'User id',
  key: 'Key id',
  'key-value': 'Whole key',
  'key-prefix': 'Key prefix',
  video: 'Video id',
  request: 'Request id',
  token: 'Playback token',
  words: 'Name or e-mail',
}

const NOTHING: Partial<Record<FindAnswer['by'], string>> = {
  request:
    'This call is not in the log. The log goes back 7 days and keeps calls that were made with a known key or a token; of very many successes it keeps a fair sample, so this one may have been left out. Look for the account by its key prefix or video id.',
  token:
    'The request log goes back 7 days and keeps a sample of very many successes. Paste the whole token: it says which video it is for.',
  'key-value': 'The value has the form of a key, but no account has it: it was made in another installation.',
  'key-prefix': 'No account has a key that begins like this. Compare it letter by letter: capitals count.',
}

/** Secrets are searched for but never put into the address. */
const isSecret = (text: string) => /^(ak_(live|test)_|pt_)/.test(text.trim())

/** Renders one search field for every identifier of an account. */
export function Find() {
  const trpc = useTRPC()
  const { data: recent } = useSuspenseQuery(trpc.support.recent.queryOptions())
  const find = useMutation(trpc.support.find.mutationOptions())
  const form = useForm({ initialValues: { text: '' }, validate: schemaResolver(schema) })
  const look = (text: string) => find.mutate({ text }, { onError: (error) => form.setErrors(fieldErrors(error) ?? {}) })

  // biome-ignore lint/correctness/useExhaustiveDependencies: the term in the address is searched for once
  useEffect(() => {
    const asked = new URLSearchParams(window.location.search).get('q')
    if (!asked) return
    form.setValues({ text: asked })
    look(asked)
  }, [])

  const submit = form.onSubmit(({ text }) => {
    window.history.replaceState(null, '', isSecret(text) ? window.location.pathname : `?q=${encodeURIComponent(text.trim())}`)
    look(text)
  })

  return (
    <>
      <PageHeader
        title="Find an account"
        purpose="Paste whatever the customer gave you. What you open stands in that account’s audit log."
      />
      <form onSubmit={submit} noValidate>
        <Group align="flex-start" gap="xs" wrap="nowrap" mb="lg">
          <TextInput
            className={classes.field}
            size="md"
            aria-label="Find by"
            placeholder="Name, e-mail, key prefix, or any id"
            leftSection={<IconSearch size={17} />}
            autoComplete="off"
            spellCheck={false}
            data-autofocus
            {...form.getInputProps('text')}
          />
          <Button type="submit" size="md" loading={find.isPending}>
            Find
          </Button>
        </Group>
      </form>
      <Stack gap="lg">
        {find.isError && !fieldErrors(find.error) && <Notice tone="bad">{find.error.message}</Notice>}
        {find.data && <Results answer={find.data} />}
        {!find.data && recent.length > 0 && (
          <Panel title="You looked at" flush>
            <ul className={classes.recent}>
              {recent.map(({ accountId, name, tier }) => (
                <li key={accountId}>
                  <Link href={`/support/accounts/${accountId}`} className={classes.link}>
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
            <EmptyState icon={<IconSearch size={20} />} title="Nobody looked for yet">
              Account names, e-mail addresses and key prefixes may be parts. Ids of accounts, users, keys, videos, requests and playback
              tokens are whole. A pasted key is hashed and forgotten.
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
        <EmptyState icon={<IconSearch size={20} />} title={`Nothing found by ${WAYS[by].toLowerCase()}`}>
          {NOTHING[by] ?? 'Nothing here has it. Was the whole of it copied?'}
        </EmptyState>
      </div>
    )
  }
  return (
    <div aria-live="polite">
      <p className={classes.by}>
        {WAYS[by]}: {found.length === 20 ? 'the first 20' : found.length}
      </p>
      <Table label="Found" columns={COLUMNS} rows={found} keyOf={({ accountId, subject }) => `${accountId} ${subject}`} />
    </div>
  )
}

const COLUMNS: Column<Found>[] = [
  {
    title: 'Account',
    phone: 'wide',
    cell: (found) => (
      <Link href={addressOf(found)} className={classes.link}>
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
  { title: 'Found', cell: ({ subject, accountId }) => <IdChip id={subject ?? accountId} /> },
]
