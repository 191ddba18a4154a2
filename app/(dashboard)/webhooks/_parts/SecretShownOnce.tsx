import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { SecretPanel } from '../../../_ui/SecretPanel'

interface Props {
  title: string
  secret: string
  /** What else is to be known of it. */
  note?: string
  opened: boolean
  onClose: () => void
}

/** A new signing secret, for the only time. */
export function SecretShownOnce({ title, secret, note, opened, onClose }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title={title} closeOnClickOutside={false} size="lg">
      <Stack gap="md">
        <SecretPanel
          title="Signing secret"
          value={secret}
          warning="Copy it now: it will not be shown again. With it your receiver checks that events are from us."
          fileName="reelgate-webhook-secret.env"
          fileText={`WEBHOOK_SECRET=${secret}\n`}
          copyLabel="Copy secret"
          downloadLabel="Download .env"
        />
        {note && <Text size="sm">{note}</Text>}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            I have saved it
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
