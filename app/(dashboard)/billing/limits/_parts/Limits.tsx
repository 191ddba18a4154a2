'use client'

import { Button, Group, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { schemaResolver } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { formatCredits } from '#server/modules/billing/price-schema'
import type { BillingOverview } from '#server/modules/dashboard/billing-overview'
import { useTRPC } from '../../../../_trpc/client'
import { Conflict } from '../../../../_ui/form/Conflict'
import { conflictOf } from '../../../../_ui/form/conflict-of'
import { FormError } from '../../../../_ui/form/FormError'
import { showAtFields } from '../../../../_ui/form/form-errors'
import { lazySchema } from '../../../../_ui/form/lazy-schema'
import { useForm } from '../../../../_ui/form/use-form'
import { Notice } from '../../../../_ui/Notice'
import { Panel } from '../../../../_ui/Panel'
import { BillingFrame } from '../../_parts/BillingFrame'
import { KeyCaps } from './KeyCaps'

type Fields = { lowBalanceThreshold: string; monthCap: string }
type Version = Pick<BillingOverview, 'lowBalanceThreshold' | 'monthCap'>

const fieldsOf = ({ lowBalanceThreshold, monthCap }: Version): Fields => ({
  lowBalanceThreshold: lowBalanceThreshold ?? '',
  monthCap: monthCap ?? '',
})
/** An empty field is no limit. */
const versionOf = ({ lowBalanceThreshold, monthCap }: Fields): Version => ({
  lowBalanceThreshold: lowBalanceThreshold.trim() || null,
  monthCap: monthCap.trim() || null,
})
const validate = schemaResolver(lazySchema(async () => (await import('#server/modules/billing/schema')).limitsInput))
const formatLimit = (credits: string | null) => (credits === null ? 'none' : formatCredits(credits))

/** Shows the limits of the account's spending, and of each key's. */
export function Limits({ mayChange }: { mayChange: boolean }) {
  return (
    <BillingFrame here="/billing/limits" mayChange={mayChange}>
      {(overview) => (
        <>
          <AccountLimits overview={overview} mayChange={mayChange} />
          <KeyCaps keys={overview.keys} mayChange={mayChange} />
        </>
      )}
    </BillingFrame>
  )
}

/** Sets when owners are notified, and where spending ends. */
function AccountLimits({ overview, mayChange }: { overview: BillingOverview; mayChange: boolean }) {
  const { lowBalanceThreshold, monthCap } = overview
  const trpc = useTRPC()
  const client = useQueryClient()
  const [expected, setExpected] = useState<Version>({ lowBalanceThreshold, monthCap })
  const form = useForm({ initialValues: fieldsOf(expected), validate: (values) => validate(versionOf(values)) })
  const show = ({ lowBalanceThreshold, monthCap }: Version) => {
    setExpected({ lowBalanceThreshold, monthCap })
    form.setInitialValues(fieldsOf({ lowBalanceThreshold, monthCap }))
    form.reset()
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: shows changes by others, which must not overwrite the user's input
  useEffect(() => {
    if (!form.isDirty()) show({ lowBalanceThreshold, monthCap })
  }, [lowBalanceThreshold, monthCap])

  const save = useMutation(
    trpc.billing.setLimits.mutationOptions({
      onSuccess: async (_, sent) => {
        show(sent)
        await client.invalidateQueries(trpc.billing.overview.pathFilter())
        notifications.show({ message: 'Limits saved.', withBorder: true })
      },
      onError: showAtFields(form),
    }),
  )
  const theirs = conflictOf<Version>(save.error)
  const mine = versionOf(form.values)
  const send = (expected: Version) => form.onSubmit((values) => save.mutate({ ...versionOf(values), expected }))
  const field = (name: keyof Fields, label: string, description: string) => (
    <TextInput
      label={label}
      description={description}
      placeholder="None"
      inputMode="decimal"
      inputWrapperOrder={['label', 'input', 'error', 'description']}
      rightSectionWidth={62}
      rightSection={<span style={{ color: 'var(--rg-dimmed)', fontSize: 12 }}>credits</span>}
      disabled={!mayChange}
      {...form.getInputProps(name)}
    />
  )
  return (
    <Panel title="Limits of the account">
      <form onSubmit={send(expected)} noValidate>
        <Stack gap="md">
          {!mayChange && <Notice tone="info">Only an owner can change billing.</Notice>}
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
            {field(
              'lowBalanceThreshold',
              'Low balance',
              'Each time the balance falls below this, we send the event wallet.low_balance, and email owners if email is configured.',
            )}
            {field('monthCap', 'Monthly spending cap', 'Charges stop at this amount. Keys then have the free quota until the month ends.')}
          </SimpleGrid>
          {theirs && (
            <Conflict
              fields={[
                { title: 'Low balance', mine: formatLimit(mine.lowBalanceThreshold), theirs: formatLimit(theirs.lowBalanceThreshold) },
                { title: 'Monthly spending cap', mine: formatLimit(mine.monthCap), theirs: formatLimit(theirs.monthCap) },
              ]}
              busy={form.submitting || save.isPending}
              onTakeTheirs={() => {
                save.reset()
                show(theirs)
              }}
              onKeepMine={send(theirs)}
            />
          )}
          <FormError error={theirs ? null : save.error} form={form} />
          {mayChange && (
            <Group>
              <Button type="submit" variant="default" disabled={!form.isDirty()} loading={form.submitting || save.isPending}>
                Save limits
              </Button>
            </Group>
          )}
        </Stack>
      </form>
    </Panel>
  )
}
