import { ActionIcon, Button, Checkbox, CloseButton, Group, TextInput } from '@mantine/core'
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react'
import { type KeyboardEvent, useDeferredValue, useEffect, useMemo, useState } from 'react'
import { formatCount } from '../../../../../../_ui/format'
import { type Cue, formatTime } from './cue-document'
import { findAll, type Match } from './edits'
import classes from './FindReplace.module.css'

interface Props {
  cues: readonly Cue[]
  /** Shows a found place in the list. */
  onShow: (match: Match | undefined) => void
  onReplace: (matches: readonly Match[], by: string) => void
  /** Closes the bar; the place that was found last gets the focus. */
  onClose: (match: Match | undefined) => void
}

export const FIND_FIELD = 'find-in-captions'

/** Finds a text in the captions, and replaces it at one place or at all of them. */
export function FindReplace({ cues, onShow, onReplace, onClose }: Props) {
  const [wanted, setWanted] = useState('')
  const [by, setBy] = useState('')
  const [matchCase, setMatchCase] = useState(false)
  const [position, setPosition] = useState(0)
  const asked = useDeferredValue(wanted)
  const matches = useMemo(() => findAll(cues, asked, matchCase), [cues, asked, matchCase])
  const at = Math.min(position, matches.length - 1)
  const match = matches[at]
  const text = cues.find(({ id }) => id === match?.id)?.text ?? ''
  useEffect(() => onShow(match), [match, onShow])

  const step = (by: number) => setPosition((at + by + matches.length) % Math.max(1, matches.length))
  const keys = (enter: () => void) => (event: KeyboardEvent) => {
    if (event.key === 'Escape') onClose(match)
    if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) {
      event.preventDefault()
      enter()
    }
  }
  const replaceOne = () => {
    if (!match) return
    onReplace([match], by.normalize())
    // What was put in may contain what is looked for.
    setPosition(at + findAll([{ id: match.id, text: by }], wanted, matchCase).length)
  }
  return (
    <search className={classes.bar} aria-label="Find and replace">
      <div className={classes.fields}>
        <TextInput
          size="xs"
          placeholder="Find"
          aria-label="Find"
          id={FIND_FIELD}
          ref={focus}
          value={wanted}
          onChange={(event) => {
            setWanted(event.currentTarget.value)
            setPosition(0)
          }}
          onKeyDown={(event) => keys(() => step(event.shiftKey ? -1 : 1))(event)}
        />
        <TextInput
          size="xs"
          placeholder="Replace with"
          aria-label="Replace with"
          value={by}
          onChange={(event) => setBy(event.currentTarget.value)}
          onKeyDown={keys(replaceOne)}
        />
      </div>
      <Group gap="xs">
        <Checkbox
          size="xs"
          label="Match case"
          checked={matchCase}
          onChange={(event) => setMatchCase(event.currentTarget.checked)}
          onKeyDown={keys(() => step(1))}
        />
        <span className={classes.found} role="status">
          {asked !== '' && (match ? `${formatCount(at + 1)} of ${formatCount(matches.length)}` : 'Not found')}
        </span>
        <ActionIcon variant="subtle" color="gray" size="sm" aria-label="Previous" disabled={!match} onClick={() => step(-1)}>
          <IconChevronUp size={15} />
        </ActionIcon>
        <ActionIcon variant="subtle" color="gray" size="sm" aria-label="Next" disabled={!match} onClick={() => step(1)}>
          <IconChevronDown size={15} />
        </ActionIcon>
        <Button size="compact-xs" variant="default" disabled={!match} onClick={replaceOne}>
          Replace
        </Button>
        <Button size="compact-xs" variant="default" disabled={!match} onClick={() => onReplace(matches, by.normalize())}>
          Replace all
        </Button>
        <CloseButton size="sm" ml="auto" aria-label="Close find and replace" onClick={() => onClose(match)} />
      </Group>
      {match && (
        <p className={classes.place}>
          <span>{formatTime(cues.find(({ id }) => id === match.id)?.startMs ?? 0)}</span> {text.slice(0, match.from)}
          <mark>{text.slice(match.from, match.to)}</mark>
          {text.slice(match.to)}
        </p>
      )}
    </search>
  )
}

const focus = (field: HTMLInputElement | null) => field?.focus()
