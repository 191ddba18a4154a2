'use client'

import { Modal, Select, Stack, Textarea } from '@mantine/core'
import { DateTimePicker } from '@mantine/dates'
import '@mantine/dates/styles.css'
import { schemaResolver } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { announceInput } from '#server/modules/backoffice/operator/schema'
import { ANNOUNCEMENT_LEVEL_NAMES, ANNOUNCEMENT_LEVELS, type AnnouncementLevel } from '#server/modules/backoffice/operator/state'
import { useTRPC } from '../../../_trpc/client'
import { DialogActions } from '../../../_ui/form/DialogActions'
import { FormError } from '../../../_ui/form/FormError'
import { showAtFields } from '../../../_ui/form/form-errors'
import { useForm } from '../../../_ui/form/use-form'
import classes from './Announcements.module.css'

interface Values {
  level: AnnouncementLevel
  message: string
  /** `2027-01-31 20:00:00`, in UTC; null for none. */
  startsAt: string | null
  endsAt: string | null
}

/** The calendar offers no day before today; the form refuses a time of today that has passed. */
const PICKER = {
  clearable: true,
  valueFormat: 'D MMM YYYY, HH:mm',
  minDate: new Date().toISOString().slice(0, 10),
  firstDayOfWeek: 1,
  highlightToday: true,
  clearButtonProps: { 'aria-label': 'Clear' },
  ariaLabels: {
    previousMonth: 'Previous month',
    nextMonth: 'Next month',
    previousYear: 'Previous year',
    nextYear: 'Next year',
    previousDecade: 'Previous decade',
    nextDecade: 'Next decade',
  },
} as const

const input = ({ startsAt, endsAt, ...rest }: Values) => ({
  ...rest,
  ...(startsAt && { startsAt: `${startsAt.replace(' ', 'T')}Z` }),
  ...(endsAt && { endsAt: `${endsAt.replace(' ', 'T')}Z` }),
})

/** Adds an announcement. */
export function AnnounceDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const resolve = schemaResolver(announceInput, { sync: true })
  const form = useForm<Values>({
    initialValues: { level: 'info', message: '', startsAt: null, endsAt: null },
    validate: (values) => resolve(input(values) as never),
  })
  const announce = useMutation(
    trpc.operator.announce.mutationOptions({
      onSuccess: () => {
        notifications.show({ message: 'Announcement added.' })
        onClose()
      },
      onError: showAtFields(form),
      onSettled: () => client.invalidateQueries(trpc.operator.listAnnouncements.pathFilter()),
    }),
  )
  return (
    <Modal opened={opened} onClose={onClose} title="New announcement">
      <form onSubmit={form.onSubmit((values) => announce.mutate(input(values)))} noValidate>
        <Stack gap="md">
          <FormError error={announce.error} form={form} />
          <Select
            label="Level"
            description={ANNOUNCEMENT_LEVELS[form.values.level].description}
            data={ANNOUNCEMENT_LEVEL_NAMES.map((value) => ({ value, label: ANNOUNCEMENT_LEVELS[value].title }))}
            allowDeselect={false}
            {...form.getInputProps('level')}
          />
          <Textarea
            label="Message"
            description="Plain text, at most 500 characters."
            maxRows={8}
            data-autofocus
            {...form.getInputProps('message')}
          />
          <div className={classes.times}>
            <DateTimePicker label="From (UTC)" placeholder="Now" {...PICKER} {...form.getInputProps('startsAt')} />
            <DateTimePicker label="Until (UTC)" placeholder="Until you end it" {...PICKER} {...form.getInputProps('endsAt')} />
          </div>
          <DialogActions onCancel={onClose} loading={announce.isPending}>
            Announce
          </DialogActions>
        </Stack>
      </form>
    </Modal>
  )
}
