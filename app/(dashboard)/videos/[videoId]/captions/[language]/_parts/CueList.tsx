import { type KeyboardEvent, useEffect, useRef, useSyncExternalStore } from 'react'
import classes from './CueList.module.css'
import { CueRow, fieldOf } from './CueRow'
import type { Cue } from './cue-document'
import type { EditorState } from './editor-state'
import type { PlayerLink } from './player-link'

interface Props {
  cues: readonly Cue[]
  language: string
  activeId: number | undefined
  currentId: number | undefined
  foundId: number | undefined
  wanted: EditorState['wanted']
  player: PlayerLink
  onFocus: (id: number) => void
  onType: (id: number, text: string) => void
  /** Moves the focus to the caption before or after the active one. */
  onStep: (by: 1 | -1) => void
}

/** Lists the captions. Follows the video while it plays, until the person scrolls or types. */
export function CueList({ cues, language, activeId, currentId, foundId, wanted, player, onFocus, onType, onStep }: Props) {
  const isPlaying = !useSyncExternalStore(player.subscribe, () => player.snapshot().paused)
  const follows = useRef(false)
  useEffect(() => {
    follows.current = isPlaying
  }, [isPlaying])
  const stay = () => {
    follows.current = false
  }

  useEffect(() => {
    const field = wanted && fieldOf(wanted.id)
    if (!field) return
    const caret = wanted.caret ?? field.value.length
    field.focus({ preventScroll: true })
    field.setSelectionRange(caret, caret)
    field.closest('li')?.scrollIntoView({ block: 'nearest' })
  }, [wanted])

  useEffect(() => {
    if (foundId !== undefined) fieldOf(foundId)?.closest('li')?.scrollIntoView({ block: 'nearest' })
  }, [foundId])

  useEffect(() => {
    if (currentId !== undefined && follows.current) fieldOf(currentId)?.closest('li')?.scrollIntoView({ block: 'nearest' })
  }, [currentId])

  /** As in one text: beyond the first and the last line is the next field. */
  const step = (event: KeyboardEvent<HTMLElement>) => {
    const { target, key, altKey, ctrlKey, metaKey, shiftKey, nativeEvent } = event
    stay()
    if (!(target instanceof HTMLTextAreaElement) || altKey || ctrlKey || metaKey || shiftKey || nativeEvent.isComposing) return
    const { value, selectionStart, selectionEnd } = target
    if (selectionStart !== selectionEnd) return
    const leaves =
      key === 'ArrowDown' ? !value.slice(selectionEnd).includes('\n') : key === 'ArrowUp' && !value.slice(0, selectionStart).includes('\n')
    if (!leaves) return
    event.preventDefault()
    onStep(key === 'ArrowDown' ? 1 : -1)
  }

  return (
    <ol className={classes.list} aria-label="Captions" onKeyDown={step} onWheel={stay} onTouchMove={stay}>
      {cues.map((cue, at) => (
        <CueRow
          key={cue.id}
          cue={cue}
          nextMs={cues[at + 1]?.startMs}
          language={language}
          isActive={cue.id === activeId}
          isCurrent={cue.id === currentId}
          isFound={cue.id === foundId}
          onFocus={onFocus}
          onType={onType}
        />
      ))}
    </ol>
  )
}
