import { Button, Group, Stack, TextInput } from '@mantine/core'
import { IconExternalLink } from '@tabler/icons-react'
import { useState } from 'react'
import { readTime } from '../../../_parts/player/read-time'
import { SecretPanel } from '../../../_ui/form/SecretPanel'

/** Shows the address of a new share link, once; also as one that starts at a time. */
export function NewShareLink({ url, onAgain, onDone }: { url: string; onAgain: () => void; onDone: () => void }) {
  const [start, setStart] = useState('')
  const isTime = readTime(start) !== undefined
  const address = isTime ? `${url}?t=${start}` : url
  return (
    <Stack gap="md" role="status">
      <SecretPanel title="Your new link" value={address} warning="Copy the link now. You won’t see it again." copyLabel="Copy link" />
      <TextInput
        label="Start time"
        placeholder="1:30"
        w={140}
        value={start}
        error={start !== '' && !isTime && 'Enter seconds, or a time such as 1:30.'}
        onChange={(event) => setStart(event.currentTarget.value.trim())}
      />
      <Group gap="xs" justify="flex-end">
        <Button
          component="a"
          href={address}
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
