'use client'

import { Button, Group } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconBadgeCc } from '@tabler/icons-react'
import dynamic from 'next/dynamic'
import { useCallback, useEffect, useEffectEvent, useLayoutEffect, useReducer, useRef, useState, useSyncExternalStore } from 'react'
import type { DashboardDetail } from '#server/modules/dashboard/get-video'
import type { CaptionsEditor } from '#server/modules/videos/captions/draft-schema'
import { captionCount } from '../../../../../../_parts/captions/caption-count'
import { type Command, commandOf } from '../../../../../../_parts/captions/shortcuts'
import { download } from '../../../../../../_ui/download'
import { languageName } from '../../../../../../_ui/language-name'
import { Panel } from '../../../../../../_ui/Panel'
import { EmptyState } from '../../../../../../_ui/page/EmptyState'
import { useDialog } from '../../../../../../_ui/use-dialog'
import { useIsApple } from '../../../../../_parts/palette/use-shortcuts'
import { Conflicts, Unsaved } from './Conflicts'
import { CueList } from './CueList'
import { fieldOf } from './CueRow'
import { CueTools } from './CueTools'
import { type Cue, cueAt, parseVtt, toVtt } from './cue-document'
import type { Place } from './draft-keeper'
import classes from './Editor.module.css'
import { type EditorDialog, imported } from './EditorDialogs'
import { EditorHeader } from './EditorHeader'
import { open, reduce } from './editor-state'
import { insert, type Match, merge, type Outcome, remove, replace, setTime, split } from './edits'
import { FIND_FIELD, FindReplace } from './FindReplace'
import { ListHead } from './ListHead'
import { PlayerPane } from './PlayerPane'
import { PlayerLink } from './player-link'
import { SavedState } from './SavedState'
import { placeOf, useDraft } from './use-draft'

// Loaded when the first of them is opened.
const EditorDialogs = dynamic(() => import('./EditorDialogs').then((module) => module.EditorDialogs), { ssr: false })

interface Props {
  video: DashboardDetail
  language: string
  /** What is stored, as it was when the editor opened, and again after each change by anybody. */
  latest: CaptionsEditor
  latestAt: number
}

const BACK_MS = 2_000

/** Edits the captions of a video in one language next to the video. Everything can be done by keyboard (shortcuts.ts). */
export function Editor({ video, language, latest, latestAt }: Props) {
  const asked = { videoId: video.id, language }
  const isApple = useIsApple()
  const [state, dispatch] = useReducer(reduce, latest.text, (text) => open(parseVtt(text)))
  const { cues, past, future } = state.history
  const active = cues.find(({ id }) => id === state.activeId)
  const edit = (outcome: Outcome) => dispatch({ type: 'edit', outcome })

  const [player] = useState(() => new PlayerLink())
  const current = useCurrent(player, cues)
  const { keeper, publish, discard, isBusy, unsaved, settleUnsaved } = useDraft(asked, latest, cues)
  const saving = useSyncExternalStore(keeper.subscribe, keeper.snapshot)
  useEffect(() => keeper.change(cues), [keeper, cues])

  /** Shows another text, as a change that can be undone. */
  const take = (text: string, did: string, place?: Place) => {
    const taken = parseVtt(text)
    if (place) keeper.settle(taken, place)
    edit({ cues: taken, did, focus: taken[0]?.id, from: state.activeId })
  }
  // Who has changed nothing goes on from what others store.
  const isUntouched = past.length + future.length === 0
  const follow = useEffectEvent(() => {
    const place = placeOf(latest)
    const isOther = place.revision !== keeper.place.revision || (place.revision === 0 && place.basedOn !== keeper.place.basedOn)
    if (isBusy || !isUntouched || !isOther || latestAt <= keeper.placedAt) return
    const loaded = parseVtt(latest.text)
    keeper.settle(loaded, place)
    dispatch({ type: 'load', cues: loaded, text: 'Another person changed these captions. This is the latest version.' })
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: each answer is looked at once
  useLayoutEffect(() => follow(), [latestAt])

  const onFocus = useCallback((id: number) => dispatch({ type: 'activate', id }), [])
  const onType = useCallback((id: number, text: string) => dispatch({ type: 'type', id, text, at: Date.now() }), [])
  const sought = useRef(state.activeId)
  const seek = useEffectEvent(() => {
    if (sought.current === state.activeId) return
    sought.current = state.activeId
    if (active && (player.nowMs < active.startMs || player.nowMs >= active.endMs)) player.seek(active.startMs)
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the player goes to a caption when it becomes the active one
  useEffect(() => seek(), [state.activeId])

  /** Goes to the next or previous caption, or from elsewhere on the page to the active one. */
  const step = (by: 1 | -1) => {
    const at = cues.findIndex(({ id }) => id === state.activeId)
    const isInside = caretIn(state.activeId) !== undefined
    dispatch({ type: 'go', id: cues[isInside ? at + by : at]?.id, ...(by > 0 && { caret: 0 }) })
  }

  const [dialog, ask] = useDialog<EditorDialog>()
  const [finds, setFinds] = useState(false)
  const [found, setFound] = useState<Match>()

  const written = cues.filter(({ vtt }) => vtt !== '')
  const without = cues.length - written.length
  const hasDraft = keeper.place.revision > 0 || saving.state !== 'saved'
  const isStale = (latest.captions?.name ?? null) !== keeper.place.basedOn
  const askToPublish = () => {
    if (!hasDraft) return dispatch({ type: 'say', text: 'Nothing to publish.' })
    if (written.length === 0) return dispatch({ type: 'say', text: 'Nothing to publish: no caption has text.' })
    if (isStale || without > 0 || written.length < (latest.captions?.cues ?? 0) / 2) return ask({ kind: 'publish' })
    void publish()
  }
  const publishWritten = () => {
    if (without > 0) {
      const focus = active?.vtt ? active.id : written[0]?.id
      edit({ cues: written, did: `Left out ${captionCount(without)} without text`, focus, from: state.activeId })
      keeper.change(written)
    }
    void publish()
  }

  const file = useRef<HTMLInputElement>(null)
  const readFile = async (field: HTMLInputElement) => {
    const [chosen] = field.files ?? []
    // The same file can be chosen again.
    field.value = ''
    if (!chosen) return
    try {
      const { readCaptionsFile } = await import('./read-captions-file')
      const read = await readCaptionsFile(chosen)
      if (cues.length === 0) edit(imported(read, active))
      else ask({ kind: 'import', file: chosen.name, cues: read })
    } catch (error) {
      notifications.show({ color: 'red', title: `Could not import ${chosen.name}`, message: (error as Error).message })
    }
  }
  const saveFile = async (format: 'vtt' | 'srt') => {
    const name = `${video.title}.${language}.${format}`.replace(/[\\/:*?"<>|]/g, '_')
    const vtt = toVtt(written)
    if (format === 'vtt') return download(name, vtt, 'text/vtt')
    const { readVttFile, toSrtFile } = await import('#server/platform/speech/cue-files')
    download(name, toSrtFile(readVttFile(vtt)), 'application/x-subrip')
  }
  const discardDraft = async () => {
    const stored = await discard()
    if (stored) take(stored.text, 'Discarded the draft', placeOf(stored))
  }

  const commands: Record<Command, () => void> = {
    play: () => player.toggle(),
    back: () => player.seek(player.nowMs - BACK_MS),
    replay: () => active && player.playBetween(active.startMs, active.endMs),
    next: () => step(1),
    previous: () => step(-1),
    current: () => dispatch({ type: 'go', id: cues[cueAt(cues, player.nowMs)]?.id }),
    split: () => edit(split(cues, state.activeId, { caret: caretIn(state.activeId), playheadMs: player.nowMs })),
    merge: () => edit(merge(cues, state.activeId)),
    insert: () => edit(insert(cues, state.activeId, player.nowMs)),
    remove: () => edit(remove(cues, state.activeId)),
    start: () => edit(setTime(cues, state.activeId, 'start', player.nowMs)),
    end: () => edit(setTime(cues, state.activeId, 'end', player.nowMs)),
    shift: () => ask({ kind: 'shift' }),
    find: () => (finds ? document.getElementById(FIND_FIELD)?.focus() : setFinds(true)),
    undo: () => dispatch({ type: 'undo' }),
    redo: () => dispatch({ type: 'redo' }),
    save: () => void keeper.flush(),
    publish: askToPublish,
    help: () => ask({ kind: 'help' }),
  }
  const onCommand = (command: Command) => commands[command]()
  const press = useEffectEvent((event: KeyboardEvent) => {
    const command = event.isComposing ? undefined : commandOf(event, isApple)
    if (!command || (event.target instanceof Element && event.target.closest('[role="dialog"], [role="menu"]'))) return
    // The search and the times are fields with an undo of their own.
    if (event.target instanceof HTMLInputElement && (command === 'undo' || command === 'redo')) return
    event.preventDefault()
    onCommand(command)
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => press(event)
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [])

  return (
    <>
      <EditorHeader
        title={`${languageName(language)} captions`}
        state={<SavedState keeper={keeper} captions={latest.captions} />}
        isApple={isApple}
        canUndo={past.length > 0}
        canRedo={future.length > 0}
        canPublish={hasDraft && written.length > 0 && saving.state !== 'conflict'}
        hasDraft={hasDraft}
        isBusy={isBusy}
        onCommand={onCommand}
        onHistory={() => ask({ kind: 'history' })}
        onImport={() => file.current?.click()}
        onExport={(format) => void saveFile(format)}
        onDiscard={() => void discardDraft()}
      />
      {unsaved && (
        <Unsaved
          unsaved={unsaved}
          cues={cues}
          onRestore={(kept) => {
            edit({ cues: kept, did: 'Restored the unsaved changes', focus: kept[0]?.id, from: state.activeId })
            settleUnsaved(kept)
          }}
          onDiscard={() => settleUnsaved()}
        />
      )}
      {!isBusy && <Conflicts asked={asked} keeper={keeper} latest={latest} latestAt={latestAt} cues={cues} onTake={take} />}
      <div className={classes.columns}>
        <div className={classes.side}>
          <PlayerPane video={video} player={player} current={current} language={language} isApple={isApple} onCommand={onCommand} />
          <CueTools
            cue={active}
            isApple={isApple}
            onCommand={onCommand}
            onTime={(edge, ms) => edit(setTime(cues, state.activeId, edge, ms))}
          />
        </div>
        <Panel flush>
          <ListHead
            cues={cues}
            active={active}
            said={state.said}
            isApple={isApple}
            onCommand={onCommand}
            onGo={(id) => dispatch({ type: 'go', id })}
          />
          {finds && (
            <FindReplace
              cues={cues}
              onShow={setFound}
              onReplace={(matches, by) => edit(replace(cues, matches, by))}
              onClose={(match) => {
                setFinds(false)
                setFound(undefined)
                dispatch({ type: 'go', id: match?.id ?? state.activeId, ...(match && { caret: match.to }) })
              }}
            />
          )}
          {cues.length === 0 ? (
            <EmptyState
              icon={<IconBadgeCc size={20} />}
              title="No captions yet"
              action={
                <Group gap="xs" justify="center">
                  <Button onClick={() => onCommand('insert')}>New caption</Button>
                  <Button variant="default" onClick={() => file.current?.click()}>
                    Import a file
                  </Button>
                </Group>
              }
            >
              Play the video, and add a caption where someone speaks. Or import a WebVTT or SRT file.
            </EmptyState>
          ) : (
            <CueList
              cues={cues}
              language={language}
              activeId={state.activeId}
              currentId={current?.id}
              foundId={found?.id}
              wanted={state.wanted}
              player={player}
              onFocus={onFocus}
              onType={onType}
              onStep={step}
            />
          )}
        </Panel>
      </div>
      <input
        ref={file}
        type="file"
        hidden
        aria-label="Captions file"
        accept=".vtt,.srt,text/vtt,application/x-subrip"
        onChange={(event) => void readFile(event.currentTarget)}
      />
      {dialog && (
        <EditorDialogs
          key={dialog.times}
          {...dialog.props}
          dialog={dialog.subject}
          asked={asked}
          latest={latest}
          cues={cues}
          active={active}
          isStale={isStale}
          isApple={isApple}
          onEdit={edit}
          onTake={take}
          onPublish={publishWritten}
        />
      )}
    </>
  )
}

/** Returns the caret in the field of a caption; undefined if the focus is elsewhere. */
function caretIn(id: number | undefined): number | undefined {
  const field = id === undefined ? null : fieldOf(id)
  return field && field === document.activeElement ? field.selectionStart : undefined
}

const LOOK_MS = 100

/** Returns the caption at the playhead, as it was when the video reached it. */
function useCurrent(player: PlayerLink, cues: readonly Cue[]): Cue | undefined {
  const [id, setId] = useState<number>()
  useEffect(() => {
    const look = () => setId(cues[cueAt(cues, player.nowMs)]?.id)
    look()
    const stop = player.subscribe(look)
    const timer = setInterval(look, LOOK_MS)
    return () => {
      stop()
      clearInterval(timer)
    }
  }, [player, cues])
  return cues.find((cue) => cue.id === id)
}
