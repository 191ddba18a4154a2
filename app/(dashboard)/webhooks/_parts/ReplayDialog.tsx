import { Modal, Radio, Select, Stack } from '@mantine/core'
import { schemaResolver } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../../../_trpc/client'
import { DialogActions } from '../../../_ui/form/DialogActions'
import { FormError } from '../../../_ui/form/FormError'
import { showAtFields } from '../../../_ui/form/form-errors'
import { lazySchema } from '../../../_ui/form/lazy-schema'
import { useForm } from '../../../_ui/form/use-form'
import { formatCount } from '../../../_ui/format'
import { Notice } from '../../../_ui/Notice'

const HOUR = 3_600_000
const SINCE = [
  { value: String(HOUR), label: 'Last hour' },
  { value: String(24 * HOUR), label: 'Last 24 hours' },
  { value: String(7 * 24 * HOUR), label: 'Last 7 days' },
  { value: String(30 * 24 * HOUR), label: 'Last 30 days' },
]

interface Values {
  which: 'failed' | 'missing'
  /** Milliseconds before now. */
  since: string
}
const requested = ({ which, since }: Values) => ({ which, since: new Date(Date.now() - Number(since)) })
const validate = schemaResolver(
  lazySchema(async () => (await import('#server/modules/webhooks/endpoints/schema')).replaySinceInput.omit({ endpointId: true })),
)

/** Redelivers what failed, or was never sent, in a time span. */
export function ReplayDialog({ endpointId, opened, onClose }: { endpointId: string; opened: boolean; onClose: () => void }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const form = useForm<Values>({
    initialValues: { which: 'failed', since: String(24 * HOUR) },
    validate: (values) => validate(requested(values)),
  })
  const replay = useMutation(
    trpc.webhook.replaySince.mutationOptions({
      onSuccess({ count }) {
        void client.invalidateQueries(trpc.webhook.pathFilter())
        const what = count === 1 ? '1 event' : `${formatCount(count)} events`
        notifications.show({ message: count === 0 ? 'No events to replay.' : `Replaying ${what}.` })
        onClose()
      },
      onError: showAtFields(form),
    }),
  )
  return (
    <Modal opened={opened} onClose={onClose} title="Replay events">
      <form onSubmit={form.onSubmit((values) => replay.mutate({ endpointId, ...requested(values) }))} noValidate>
        <Stack gap="md">
          <FormError error={replay.error} form={form} />
          <Radio.Group label="Events" {...form.getInputProps('which')}>
            <Stack gap="xs" mt={6}>
              <Radio value="failed" label="Failed" description="Dead letters: all attempts failed, or the endpoint was disabled." />
              <Radio
                value="missing"
                label="Missing"
                description="Subscribed events we never sent, because the endpoint did not exist yet or was disabled."
              />
            </Stack>
          </Radio.Group>
          <Select label="Period" data={SINCE} allowDeselect={false} {...form.getInputProps('since')} />
          <Notice tone="info">Replayed events keep their ID, so that your receiver can ignore duplicates.</Notice>
          <DialogActions onCancel={onClose} loading={form.submitting || replay.isPending} data-autofocus>
            Replay
          </DialogActions>
        </Stack>
      </form>
    </Modal>
  )
}
