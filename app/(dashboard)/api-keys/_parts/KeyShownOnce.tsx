import { Button, Group, Modal, Stack } from '@mantine/core'
import { SecretPanel } from '../../../_ui/SecretPanel'

interface Shown {
  made: { value: string; prefix: string }
  title: string
  opened: boolean
  onClose: () => void
}

/** A new key's value, this once. Only "Done" closes the dialog: a slip of the hand would lose the key. */
export function KeyShownOnce({ made, title, opened, onClose }: Shown) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={title}
      size="lg"
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
    >
      <Stack gap="md">
        <SecretPanel
          title="Your new API key"
          value={made.value}
          warning="Copy it now and keep it where your backend reads its secrets. This key will not be shown again."
          fileName={`reelgate-${made.prefix}.txt`}
          copyLabel="Copy key"
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Done
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
