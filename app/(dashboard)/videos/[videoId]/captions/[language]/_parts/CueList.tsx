import { type KeyboardEvent, memo, useEffect, useRef, useSyncExternalStore } from 'react'
import { BLOCK, blocksOf, useNear } from './blocks'
import classes from './CueList.module.css'
import { CueRow, fieldOf } from './CueRow'
import type { Cue } from './cue-document'
import type { EditorState } from './editor-state'
import type { PlayerLink } from './player-link'

interface Shared {
  language: string
  activeId: number | undefined
  currentId: number | undefined
  foundId: number | undefined
  onFocus: (id: number) => void
  onType: (id: number, text: string) => void
}

interface Props extends Shared {
  cues: readonly Cue[]
  wanted: EditorState['wanted']
  player: PlayerLink
  /** Moves the focus to the caption before or after the active one. */
  onStep: (by: 1 | -1) => void
}

/** Lists the captions. Follows the video while it plays, until the person scrolls or types. */
export function CueList({ cues, wanted, player, onStep, ...shared }: Props) {
  const { currentId, foundId } = shared
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
    <section className={classes.list} aria-label="Captions" onKeyDown={step} onWheel={stay} onTouchMove={stay}>
      {blocksOf(cues).map(({ from, block }) => {
        const has = (id: number | undefined) => (block.some((cue) => cue.id === id) ? id : undefined)
        return (
          <CueBlock
            key={from}
            number={from + 1}
            cues={block}
            nextMs={cues[from + BLOCK]?.startMs}
            {...shared}
            activeId={has(shared.activeId)}
            currentId={has(currentId)}
            foundId={has(foundId)}
          />
        )
      })}
    </section>
  )
}

interface BlockProps extends Shared {
  /** Of its first caption. */
  number: number
  cues: readonly Cue[]
  /** When the caption after the block begins. */
  nextMs: number | undefined
}

/** The height of most captions, in pixels. */
const ROW_PX = 61

/** Draws its captions while they are near the view, or while one of them is in use. */
const CueBlock = memo(
  function CueBlock({ number, cues, nextMs, activeId, currentId, foundId, ...shared }: BlockProps) {
    const list = useRef<HTMLOListElement>(null)
    const { isNear, height } = useNear(list, number === 1)
    const isDrawn = isNear || activeId !== undefined || currentId !== undefined || foundId !== undefined
    return (
      <ol ref={list} start={number} className={classes.block} style={{ minHeight: isDrawn ? undefined : (height ?? cues.length * ROW_PX) }}>
        {isDrawn &&
          cues.map((cue, at) => (
            <CueRow
              key={cue.id}
              cue={cue}
              nextMs={at + 1 < cues.length ? cues[at + 1]?.startMs : nextMs}
              isActive={cue.id === activeId}
              isCurrent={cue.id === currentId}
              isFound={cue.id === foundId}
              {...shared}
            />
          ))}
      </ol>
    )
  },
  ({ cues: before, ...one }, { cues, ...other }) =>
    before.length === cues.length &&
    cues.every((cue, at) => cue === before[at]) &&
    (Object.keys(other) as (keyof typeof other)[]).every((key) => one[key] === other[key]),
)
