'use client'

import { Button, Checkbox, Group, Stack, TextInput } from '@mantine/core'
import { schemaResolver } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ThresholdTexts } from '#server/modules/access/thresholds/schema'
import type { ThresholdSettings } from '#server/modules/access/thresholds/settings'
import { ROLES } from '#server/permissions'
import { useTRPC } from '../../../_trpc/client'
import { Conflict } from '../../../_ui/form/Conflict'
import { conflictOf } from '../../../_ui/form/conflict-of'
import { FormError } from '../../../_ui/form/FormError'
import { showAtFields } from '../../../_ui/form/form-errors'
import { lazySchema } from '../../../_ui/form/lazy-schema'
import { useForm } from '../../../_ui/form/use-form'
import { Notice } from '../../../_ui/Notice'

const validate = schemaResolver(lazySchema(async () => (await import('#server/modules/access/thresholds/schema')).thresholdsForm))

const FIELDS = [
  {
    name: 'quota',
    label: 'Daily quota of a key',
    unit: '%',
    placeholder: '50, 80, 100',
    description: 'Alert at this percentage of a live key’s daily quota. Event: quota.threshold_reached',
  },
  {
    name: 'spend',
    label: 'Spending this month',
    unit: 'credits',
    placeholder: '50, 100',
    description: 'Alert once the account has spent this many credits in a month (UTC). Event: spend.threshold_reached',
  },
  {
    name: 'storage',
    label: 'Storage, share of the limit',
    unit: '%',
    placeholder: '80, 95',
    description: 'Alert at this percentage of the storage limit. Event: storage.threshold_reached',
  },
  {
    name: 'storageGb',
    label: 'Storage, size',
    unit: 'GB',
    placeholder: '500',
    description: 'Alert once the account stores this many gigabytes. Event: storage.threshold_reached',
  },
] as const

/** Edits the thresholds, and who gets e-mails. */
export function Thresholds({ settings: { thresholds, members, sendsMail, mayChange } }: { settings: ThresholdSettings }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const [expected, setExpected] = useState(thresholds)
  const form = useForm<ThresholdTexts>({ initialValues: thresholds, validate })
  const show = (shown: ThresholdTexts) => {
    save.reset()
    setExpected(shown)
    form.setInitialValues(shown)
    form.reset()
  }
  const save = useMutation(
    trpc.account.setThresholds.mutationOptions({
      onSuccess: async () => {
        await client.invalidateQueries(trpc.account.thresholds.pathFilter())
        const stored = client.getQueryData(trpc.account.thresholds.queryKey())
        if (stored) show(stored.thresholds)
        notifications.show({ message: 'Saved. If you have already reached a threshold, we alert you within a minute.', withBorder: true })
      },
      onError: showAtFields(form),
    }),
  )
  const theirs = conflictOf<ThresholdTexts>(save.error)
  const send = (shown: ThresholdTexts) => form.onSubmit((values) => save.mutate({ ...values, expected: shown }))
  const names = (ids: string[]) => members.flatMap(({ userId, email }) => (ids.includes(userId) ? email : [])).join(', ')
  const differing = theirs && [
    ...FIELDS.map(({ name, label }) => ({ title: label, mine: form.values[name], theirs: theirs[name] })),
    { title: 'Emails', mine: names(form.values.recipients), theirs: names(theirs.recipients) },
  ]
  return (
    <form onSubmit={send(expected)} noValidate>
      <Stack gap="md">
        {!mayChange && <Notice tone="info">Only an owner can change this.</Notice>}
        {FIELDS.map(({ name, unit, ...field }) => (
          <TextInput
            key={name}
            {...field}
            inputMode="decimal"
            rightSectionWidth={62}
            rightSectionProps={{ style: { justifyContent: 'flex-end', paddingRight: 12 } }}
            rightSection={<span style={{ color: 'var(--rg-dimmed)', fontSize: 12 }}>{unit}</span>}
            disabled={!mayChange}
            {...form.getInputProps(name)}
          />
        ))}
        <Checkbox.Group
          label="Emails to"
          description={sendsMail ? 'Members who get an email for each alert.' : 'This installation sends no email, only webhook events.'}
          {...form.getInputProps('recipients')}
        >
          <Stack gap={8} mt={8}>
            {members.map(({ userId, email, role }) => (
              <Checkbox
                key={userId}
                value={userId}
                label={`${email} (${ROLES[role].title})`}
                disabled={!mayChange || !sendsMail}
                styles={BREAKS}
              />
            ))}
          </Stack>
        </Checkbox.Group>
        {theirs && differing && (
          <Conflict
            fields={differing
              .filter((one) => one.mine !== one.theirs)
              .map((one) => ({ ...one, mine: one.mine || 'none', theirs: one.theirs || 'none' }))}
            busy={form.submitting || save.isPending}
            onTakeTheirs={() => show(theirs)}
            onKeepMine={send(theirs)}
          />
        )}
        <FormError error={theirs ? null : save.error} form={form} />
        {mayChange && (
          <Group>
            <Button type="submit" disabled={!form.isDirty()} loading={form.submitting || save.isPending}>
              Save
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  )
}

/** Long addresses break, so that they fit a phone. */
const BREAKS = { label: { overflowWrap: 'anywhere' } } as const
