import { Button, Group, Stack, Text } from '@mantine/core'
import { IconCheck, IconCopy, IconExternalLink } from '@tabler/icons-react'
import { useCopy } from '../../../_ui/use-copy'
import classes from './ShareDialog.module.css'

/** Shows the address of a new share link, once. */
export function NewShareLink({ url, onAgain }: { url: string; onAgain: () => void }) {
  const [state, copy] = useCopy(url)
  return (
    <Stack gap="sm" role="status">
      <div className={classes.address}>
        <code data-testid="share-url">{url}</code>
        <Button size="xs" data-autofocus onClick={copy} leftSection={state === 'copied' ? <IconCheck size={14} /> : <IconCopy size={14} />}>
          {state === 'copied' ? 'Copied' : state === 'failed' ? 'Copy manually' : 'Copy link'}
        </Button>
      </div>
      <Text size="sm" c="dimmed">
        Copy the link now. It is stored as a hash and is not shown again.
      </Text>
      <Group gap="xs">
        <Button variant="default" size="xs" onClick={onAgain}>
          Create another link
        </Button>
        <Button
          component="a"
          href={url}
          target="_blank"
          rel="noreferrer"
          variant="subtle"
          color="gray"
          size="xs"
          rightSection={<IconExternalLink size={14} />}
        >
          Open in a new tab
        </Button>
      </Group>
    </Stack>
  )
}
