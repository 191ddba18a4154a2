import { Modal, NumberInput, Radio, Stack } from '@mantine/core'
import { DialogActions } from '../../../../../../_ui/form/DialogActions'
import { useForm } from '../../../../../../_ui/form/use-form'
import { type Cue, formatTime } from './cue-document'
import { type Outcome, shift } from './edits'

interface Props {
  opened: boolean
  onClose: () => void
  cues: readonly Cue[]
  active: Cue | undefined
  onEdit: (outcome: Outcome) => void
}

interface Values {
  seconds: string | number
  scope: 'all' | 'from'
}

/** Moves all captions in time, or the active one and all later ones. */
export function ShiftDialog({ opened, onClose, cues, active, onEdit }: Props) {
  const shifted = ({ seconds, scope }: Values): Outcome => {
    const byMs = Math.round(1_000 * Number(seconds))
    if (seconds === '' || !byMs) return { refused: 'Enter a number of seconds, such as 1.5 or -0.4.' }
    return shift(cues, byMs, scope === 'all' ? undefined : active?.id)
  }
  const form = useForm<Values>({
    initialValues: { seconds: '', scope: 'all' },
    validate(values) {
      const outcome = shifted(values)
      return 'refused' in outcome ? { seconds: outcome.refused } : {}
    },
  })
  const submit = form.onSubmit((values) => {
    onClose()
    onEdit(shifted(values))
  })
  return (
    <Modal opened={opened} onClose={onClose} title="Shift times">
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <NumberInput
            label="Seconds"
            description="Positive: captions appear later. Negative: earlier."
            data-autofocus
            step={0.1}
            decimalScale={3}
            {...form.getInputProps('seconds')}
          />
          <Radio.Group label="Captions" {...form.getInputProps('scope')}>
            <Stack gap={6} mt={4}>
              <Radio value="all" label="All captions" />
              <Radio
                value="from"
                label={`The selected caption and all later ones${active ? ` (${formatTime(active.startMs)})` : ''}`}
                disabled={!active}
              />
            </Stack>
          </Radio.Group>
          <DialogActions onCancel={onClose}>Shift</DialogActions>
        </Stack>
      </form>
    </Modal>
  )
}
