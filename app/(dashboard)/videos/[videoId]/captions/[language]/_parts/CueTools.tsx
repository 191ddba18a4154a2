import { Button, TextInput } from '@mantine/core'
import { useState } from 'react'
import { type Command, keysFor } from '../../../../../../_parts/captions/shortcuts'
import classes from './CueTools.module.css'
import { type Cue, formatTime, readMs } from './cue-document'

interface Props {
  cue: Cue | undefined
  isApple: boolean
  onCommand: (command: Command) => void
  onTime: (edge: 'start' | 'end', ms: number) => void
}

/** Shows the times of the active caption, and what can be done with it. On a phone only the latter. */
export function CueTools({ cue, isApple, onCommand, onTime }: Props) {
  const tool = (command: Command, title: string, className?: string) => (
    <Button
      key={command}
      size="compact-sm"
      variant="default"
      className={className}
      disabled={!cue && command !== 'insert'}
      rightSection={
        <span className={classes.keys} aria-hidden="true">
          {keysFor(command, isApple)}
        </span>
      }
      onClick={() => onCommand(command)}
    >
      {title}
    </Button>
  )
  return (
    <section className={classes.tools} aria-labelledby="selected-caption">
      <h2 id="selected-caption" className={classes.title}>
        Selected caption
      </h2>
      <div className={classes.times}>
        {(['start', 'end'] as const).map((edge) => (
          <div key={edge} className={classes.time}>
            <TimeField key={`${cue?.id} ${edge}`} edge={edge} cue={cue} onTime={onTime} />
            {tool(edge, edge === 'start' ? 'Start here' : 'End here')}
          </div>
        ))}
      </div>
      <div className={classes.row}>
        {tool('split', 'Split')}
        {tool('merge', 'Merge')}
        {tool('insert', 'New')}
        {tool('remove', 'Delete')}
      </div>
    </section>
  )
}

/** A time that takes effect with Enter, or when the field is left. */
function TimeField({ edge, cue, onTime }: { edge: 'start' | 'end'; cue: Cue | undefined; onTime: Props['onTime'] }) {
  const [typed, setTyped] = useState<string>()
  const ms = cue && (edge === 'start' ? cue.startMs : cue.endMs)
  const read = typed === undefined ? undefined : readMs(typed)
  const take = () => {
    if (read !== undefined && read !== ms) onTime(edge, read)
    if (typed !== undefined && (read !== undefined || typed.trim() === '')) setTyped(undefined)
  }
  return (
    <TextInput
      label={edge === 'start' ? 'Start' : 'End'}
      size="xs"
      disabled={!cue}
      value={typed ?? (ms === undefined ? '' : formatTime(ms))}
      error={typed !== undefined && typed.trim() !== '' && read === undefined ? 'Enter a time such as 1:02.5' : undefined}
      inputMode="decimal"
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={take}
      onKeyDown={(event) => {
        if (event.key === 'Enter') take()
        if (event.key === 'Escape') setTyped(undefined)
      }}
    />
  )
}
