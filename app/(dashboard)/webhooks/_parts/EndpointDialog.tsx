'use client'

import { Checkbox, Modal, Select, Stack, Text, TextInput } from '@mantine/core'
import { schemaResolver } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { EVENT_TYPES, EVENTS, type EventType, VIEWER_EVENTS } from '#server/events'
import type { ListedEndpoint } from '#server/modules/webhooks/endpoints/list-endpoints'
import { createEndpointInput } from '#server/modules/webhooks/endpoints/schema'
import { DEFAULT_SCHEDULE, type RetrySchedule } from '#server/modules/webhooks/endpoints/state'
import { useTRPC } from '../../../_trpc/client'
import { Conflict } from '../../../_ui/form/Conflict'
import { conflictOf } from '../../../_ui/form/conflict-of'
import { DialogActions } from '../../../_ui/form/DialogActions'
import { FormError } from '../../../_ui/form/FormError'
import { showAtFields } from '../../../_ui/form/form-errors'
import { useForm } from '../../../_ui/form/use-form'
import { SCHEDULES, scheduleTitle } from './retry-schedules'
import { SecretShownOnce } from './SecretShownOnce'

interface Values {
  url: string
  description: string
  events: EventType[]
  retrySchedule: RetrySchedule
}

const versionOf = ({ url, description, events, retrySchedule }: Values): Values => ({ url, description, events, retrySchedule })

/** What a new endpoint gets unless its owner chooses otherwise. Events about viewers are too many for that. */
const USUAL: EventType[] = EVENT_TYPES.filter((type) => !(VIEWER_EVENTS as readonly EventType[]).includes(type))

/** Adds an endpoint and shows its signing secret, once; or edits an existing one. */
export function EndpointDialog({ subject, opened, onClose }: { subject?: ListedEndpoint; opened: boolean; onClose: () => void }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const refresh = () => void client.invalidateQueries(trpc.webhook.pathFilter())
  const create = useMutation(trpc.webhook.create.mutationOptions({ onSuccess: refresh }))
  const edit = useMutation(trpc.webhook.edit.mutationOptions({ onSuccess: refresh }))
  const [expected, setSeen] = useState(subject && versionOf(subject))
  const form = useForm<Values>({
    initialValues: subject ? versionOf(subject) : { url: '', description: '', events: USUAL, retrySchedule: DEFAULT_SCHEDULE },
    validate: schemaResolver(createEndpointInput, { sync: true }),
  })
  const onError = showAtFields(form)
  const save = (expected: Values | undefined) =>
    form.onSubmit((values) => {
      if (subject && expected) edit.mutate({ endpointId: subject.id, ...values, expected }, { onSuccess: onClose, onError })
      else create.mutate(values, { onError })
    })
  const theirs = conflictOf<Values>(edit.error)
  const failed = create.error ?? edit.error

  if (create.data) return <SecretShownOnce title="Endpoint added" secret={create.data.secret} opened={opened} onClose={onClose} />
  return (
    <Modal opened={opened} onClose={onClose} title={subject ? 'Edit endpoint' : 'Add endpoint'}>
      <form onSubmit={save(expected)} noValidate>
        <Stack gap="md">
          <FormError error={theirs ? null : failed} form={form} />
          <TextInput
            label="Endpoint URL"
            description="A public https URL. Receives a POST request for each event."
            placeholder="https://example.com/hooks/reelgate"
            inputMode="url"
            data-autofocus
            {...form.getInputProps('url')}
          />
          <TextInput label="Description" description="Optional" {...form.getInputProps('description')} />
          <Checkbox.Group label="Events" {...form.getInputProps('events')}>
            <Stack gap="xs" mt={6}>
              {EVENT_TYPES.map((type) => (
                <Checkbox
                  key={type}
                  value={type}
                  label={
                    <Text span ff="monospace" fz={12.5}>
                      {type}
                    </Text>
                  }
                  description={EVENTS[type].fires}
                />
              ))}
            </Stack>
          </Checkbox.Group>
          <Select
            label="Retry failed deliveries for"
            description="We retry within seconds at first. Longer schedules continue after 30 minutes, 1, 2 and 4 hours, then every 8 hours."
            data={SCHEDULES}
            allowDeselect={false}
            checkIconPosition="right"
            {...form.getInputProps('retrySchedule')}
          />
          {theirs && (
            <Conflict
              fields={[
                { title: 'Endpoint URL', mine: form.values.url, theirs: theirs.url },
                { title: 'Description', mine: form.values.description, theirs: theirs.description },
                { title: 'Events', mine: form.values.events.join(', '), theirs: theirs.events.join(', ') },
                { title: 'Retries', mine: scheduleTitle(form.values.retrySchedule), theirs: scheduleTitle(theirs.retrySchedule) },
              ]}
              busy={edit.isPending}
              onTakeTheirs={() => {
                edit.reset()
                setSeen(versionOf(theirs))
                form.setValues(versionOf(theirs))
              }}
              onKeepMine={save(theirs)}
            />
          )}
          <DialogActions onCancel={onClose} sticky loading={create.isPending || edit.isPending}>
            {subject ? 'Save' : 'Add endpoint'}
          </DialogActions>
        </Stack>
      </form>
    </Modal>
  )
}
