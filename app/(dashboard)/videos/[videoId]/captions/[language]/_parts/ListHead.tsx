import { ActionIcon, Anchor, Group, Tooltip } from '@mantine/core'
import { IconClockEdit, IconReplace } from '@tabler/icons-react'
import { captionCount } from '../../../../../../_parts/captions/caption-count'
import { type Command, labelOf } from '../../../../../../_parts/captions/shortcuts'
import { formatCount } from '../../../../../../_ui/format'
import type { Cue } from './cue-document'
import classes from './Editor.module.css'
import type { EditorState } from './editor-state'
import { problemsOf } from './problems'

interface Props {
  cues: readonly Cue[]
  active: Cue | undefined
  said: EditorState['said']
  isApple: boolean
  onCommand: (command: Command) => void
  onGo: (id: number) => void
}

/** Counts the captions, leads to the next one that is hard to read, and says what was done last. */
export function ListHead({ cues, active, said, isApple, onCommand, onGo }: Props) {
  const difficult = cues.filter((cue, at) => problemsOf(cue, cues[at + 1]?.startMs).length > 0)
  const next = difficult.find(({ startMs }) => startMs > (active?.startMs ?? -1)) ?? difficult[0]
  return (
    <div className={classes.listHead}>
      <span>{captionCount(cues.length)}</span>
      {next && (
        <Anchor component="button" type="button" inherit onClick={() => onGo(next.id)}>
          {formatCount(difficult.length)} to check
        </Anchor>
      )}
      <span className={classes.said} data-refused={said?.refused || undefined} role="status">
        {said?.text}
      </span>
      <Group gap={6} ml="auto" wrap="nowrap">
        <Tooltip label={labelOf('find', isApple)}>
          <ActionIcon variant="subtle" color="gray" aria-label="Find and replace" onClick={() => onCommand('find')}>
            <IconReplace size={17} />
          </ActionIcon>
        </Tooltip>
        <Tooltip label={labelOf('shift', isApple)}>
          <ActionIcon variant="subtle" color="gray" className={classes.timing} aria-label="Shift times" onClick={() => onCommand('shift')}>
            <IconClockEdit size={17} />
          </ActionIcon>
        </Tooltip>
      </Group>
    </div>
  )
}
