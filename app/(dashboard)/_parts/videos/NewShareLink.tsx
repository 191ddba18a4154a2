import { Button, Group, Stack } from '@mantine/core'
import { IconExternalLink } from '@tabler/icons-react'
import { SecretPanel } from '../../../_ui/form/SecretPanel'

/** Shows the address of a new share link, once. */
export function NewShareLink({ url, onAgain, onDone }: { url: string; onAgain: () => void; onDone: () => void }) {
  return (
    <Stack gap="md" role="status">
      <SecretPanel title="Your new link" value={url} warning="Copy the link now. You won’t see it again." copyLabel="Copy link" />
      <Group gap="xs" justify="flex-end">
        <Button
          component="a"
          href={url}
          target="_blank"
          rel="noreferrer"
          variant="subtle"
          color="gray"
          rightSection={<IconExternalLink size={14} />}
        >
          Open in a new tab
        </Button>
        <Button variant="default" onClick={onAgain}>
          Create another link
        </Button>
        <Button variant="default" onClick={onDone}>
          Done
        </Button>
      </Group>
    </Stack>
  )
}
