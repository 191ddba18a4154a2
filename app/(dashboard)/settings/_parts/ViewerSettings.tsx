'use client'

import { Anchor, Button, Group, NumberInput, Stack, Text } from '@mantine/core'
import { schemaResolver } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ViewerSettings as Values } from '#server/modules/identity/accounts/schema'
import { useTRPC } from '../../../_trpc/client'
import { Conflict } from '../../../_ui/form/Conflict'
import { conflictOf } from '../../../_ui/form/conflict-of'
import { FormError } from '../../../_ui/form/FormError'
import { showAtFields } from '../../../_ui/form/form-errors'
import { lazySchema } from '../../../_ui/form/lazy-schema'
import { useForm } from '../../../_ui/form/use-form'
import { Link } from '../../../_ui/Link'
import { Notice } from '../../../_ui/Notice'

const validate = schemaResolver(lazySchema(async () => (await import('#server/modules/identity/accounts/schema')).viewerSettings))

const FIELDS = [
  {
    name: 'viewerRetentionDays',
    label: 'Delete viewers after',
    unit: 'days',
    description:
      'We delete a viewer’s ID and viewing history after 1 to 3,650 days without activity. A lower number also deletes viewers who have already been inactive for that long.',
  },
  {
    name: 'completedPercent',
    label: 'A video counts as completed at',
    unit: '%',
    description:
      'From 50% to 100% of its seconds, each counted once. A change applies from now on: videos that a viewer has completed stay completed.',
  },
] as const

/** Sets how long viewers are kept, and how much of a video they must watch to complete it. */
export function ViewerSettings({ settings, mayChange }: { settings: Values; mayChange: boolean }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const [expected, setExpected] = useState(settings)
  const form = useForm<Values>({ initialValues: settings, validate })
  const show = (values: Values) => {
    setExpected(values)
    form.setValues(values)
    form.resetDirty(values)
  }
  const change = useMutation(
    trpc.account.setViewers.mutationOptions({
      onSuccess: async (_, { viewerRetentionDays, completedPercent }) => {
        show({ viewerRetentionDays, completedPercent })
        await client.invalidateQueries(trpc.account.settings.pathFilter())
        notifications.show({ message: 'Saved.', withBorder: true })
      },
      onError: showAtFields(form),
    }),
  )
  const theirs = conflictOf<Values>(change.error)
  const save = (expected: Values) => form.onSubmit((values) => change.mutate({ ...values, expected }))
  return (
    <form onSubmit={save(expected)} noValidate>
      <Stack gap="md">
        {!mayChange && <Notice tone="info">Only an owner can change this.</Notice>}
        {FIELDS.map(({ name, unit, ...field }) => (
          <NumberInput
            key={form.key(name)}
            {...field}
            allowDecimal={false}
            allowNegative={false}
            rightSectionWidth={56}
            rightSectionProps={{ style: { justifyContent: 'flex-end', paddingRight: 12 } }}
            rightSection={<span style={{ color: 'var(--rg-dimmed)', fontSize: 12 }}>{unit}</span>}
            disabled={!mayChange}
            {...form.getInputProps(name)}
          />
        ))}
        <Text size="sm" c="dimmed">
          These settings apply to viewers whose ID your server{' '}
          <Anchor component={Link} href="/docs/viewers#people" inherit underline="always">
            sends with a token
          </Anchor>
          .
        </Text>
        <FormError error={theirs ? null : change.error} form={form} />
        {theirs && (
          <Conflict
            fields={FIELDS.filter(({ name }) => form.values[name] !== theirs[name]).map(({ name, label, unit }) => ({
              title: label,
              mine: `${form.values[name]} ${unit}`,
              theirs: `${theirs[name]} ${unit}`,
            }))}
            busy={form.submitting || change.isPending}
            onTakeTheirs={() => {
              change.reset()
              show(theirs)
            }}
            onKeepMine={save(theirs)}
          />
        )}
        {mayChange && (
          <Group>
            <Button type="submit" loading={form.submitting || change.isPending} disabled={!form.isDirty()}>
              Save
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  )
}
