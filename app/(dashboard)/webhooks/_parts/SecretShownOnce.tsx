import { Button, Group, Stack, Text } from '@mantine/core'
import { SecretDialog } from '../../../_ui/form/SecretDialog'
import { SecretPanel } from '../../../_ui/form/SecretPanel'

interface Props {
  title: string
  secret: string
  /** Additional information about the secret. */
  note?: string
  opened: boolean
  onClose: () => void
}

/** Shows a new signing secret, once. */
export function SecretShownOnce({ title, secret, note, opened, onClose }: Props) {
  return (
    <SecretDialog opened={opened} onClose={onClose} title={title} size="lg">
      <Stack gap="md">
        <SecretPanel
          title="Signing secret"
          value={secret}
          warning="Copy the secret now: you won’t see it again. Use it to verify webhook signatures."
          fileName="reelgate-webhook-secret.env"
          fileText={`WEBHOOK_SECRET=${secret}\n`}
          copyLabel="Copy secret"
          downloadLabel="Download .env"
        />
        {note && <Text size="sm">{note}</Text>}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            I saved the secret
          </Button>
        </Group>
      </Stack>
    </SecretDialog>
  )
}
