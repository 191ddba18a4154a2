import { Button, Group, Stack, Text } from '@mantine/core'
import type { CreatedKey } from '#server/modules/access/keys/create-key'
import { CodeBlock } from '../../../_ui/CodeBlock'
import { SecretDialog } from '../../../_ui/form/SecretDialog'
import { SecretPanel } from '../../../_ui/form/SecretPanel'
import { listSnippet } from '../token-snippet'

interface Shown {
  made: CreatedKey
  title: string
  baseUrl: string
  opened: boolean
  onClose: () => void
}

/** Shows a new key's value, once. */
export function KeyShownOnce({ made, title, baseUrl, opened, onClose }: Shown) {
  return (
    <SecretDialog opened={opened} onClose={onClose} title={title} size="lg">
      <Stack gap="md">
        <SecretPanel
          title="Your new API key"
          value={made.value}
          warning="Copy this key now and store it with your backend’s secrets. You won’t see it again."
          fileName={`reelgate-${made.prefix}.env`}
          fileText={dotenv(made, baseUrl)}
          copyLabel="Copy key"
          downloadLabel="Download .env"
        />
        {made.scopes.includes('video:read') && (
          <div>
            <Text size="sm" c="dimmed" mb={6}>
              To test the key, run this in a terminal:
            </Text>
            <CodeBlock label="Shell" code={listSnippet(baseUrl, made.value)} />
          </div>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Done
          </Button>
        </Group>
      </Stack>
    </SecretDialog>
  )
}

/** Returns the key as a .env file with the variable names of the guides. */
function dotenv({ name, environment, value }: CreatedKey, baseUrl: string): string {
  const variable = environment === 'LIVE' ? 'REELGATE_API_KEY' : 'REELGATE_TEST_KEY'
  return `# ${name.replace(/\s+/g, ' ')}: for servers only, never for a web page or app\nREELGATE_URL=${baseUrl}\n${variable}=${value}\n`
}
