import { Modal, Text } from '@mantine/core'
import { Fragment } from 'react'
import type { CaptionsEditor } from '#server/modules/videos/captions/draft-schema'
import { captionCount } from '../../../../../../_parts/captions/caption-count'
import { keysOf, SHORTCUTS } from '../../../../../../_parts/captions/shortcuts'
import { formatCount } from '../../../../../../_ui/format'
import { RelativeTime } from '../../../../../../_ui/RelativeTime'
import { ConfirmDialog } from '../../../../../_parts/ConfirmDialog'
import type { Cue } from './cue-document'
import classes from './Editor.module.css'
import type { Outcome } from './edits'
import { ShiftDialog } from './ShiftDialog'
import { Versions } from './Versions'

export type EditorDialog = { kind: 'shift' | 'help' | 'publish' | 'history' } | { kind: 'import'; file: string; cues: readonly Cue[] }

interface Props {
  dialog: EditorDialog
  opened: boolean
  onClose: () => void
  asked: { videoId: string; language: string }
  latest: CaptionsEditor
  cues: readonly Cue[]
  active: Cue | undefined
  isStale: boolean
  isApple: boolean
  onEdit: (outcome: Outcome) => void
  onTake: (text: string, did: string) => void
  onPublish: () => void
}

/** Shows one of the editor's dialogs. */
export function EditorDialogs({
  dialog,
  opened,
  onClose,
  asked,
  latest,
  cues,
  active,
  isStale,
  isApple,
  onEdit,
  onTake,
  onPublish,
}: Props) {
  const frame = { opened, onClose }
  if (dialog.kind === 'shift') return <ShiftDialog {...frame} cues={cues} active={active} onEdit={onEdit} />
  if (dialog.kind === 'help') return <HelpDialog {...frame} isApple={isApple} />
  if (dialog.kind === 'history') return <Versions {...frame} asked={asked} versions={latest.versions} onRestore={onTake} />
  if (dialog.kind === 'import')
    return (
      <ConfirmDialog
        {...frame}
        title="Replace the captions in the editor?"
        action="Replace"
        color="indigo"
        onConfirm={() => {
          onClose()
          onEdit(imported(dialog.cues, active))
        }}
      >
        <Text size="sm">
          {dialog.file} has {captionCount(dialog.cues.length)}. They replace the {captionCount(cues.length)} in the editor. You can undo
          this.
        </Text>
      </ConfirmDialog>
    )
  const current = latest.versions.find((one) => one.isCurrent)
  const published = latest.captions?.cues ?? 0
  const written = cues.filter(({ vtt }) => vtt !== '').length
  const without = cues.length - written
  return (
    <ConfirmDialog
      {...frame}
      title="Publish these captions?"
      action="Publish"
      color="indigo"
      onConfirm={() => {
        onClose()
        onPublish()
      }}
    >
      <Text size="sm">
        {without > 0 && `${captionCount(without)} without text will be left out. `}
        {isStale && current ? (
          <>
            {current.by ?? 'Reelgate'} changed the published captions <RelativeTime date={current.at} />, after this draft began. Publishing
            replaces them.{' '}
          </>
        ) : (
          written < published / 2 && `The published version has ${captionCount(published)}, this draft has ${formatCount(written)}. `
        )}
        {published > 0 && 'The version history keeps what you replace.'}
      </Text>
    </ConfirmDialog>
  )
}

/** Takes the captions of a file in place of all others. */
export const imported = (cues: readonly Cue[], active: Cue | undefined): Outcome => ({
  ...{ cues, did: `Imported ${captionCount(cues.length)}` },
  ...{ focus: cues[0]?.id, from: active?.id },
})

interface Frame {
  opened: boolean
  onClose: () => void
}

function HelpDialog({ opened, onClose, isApple }: Frame & { isApple: boolean }) {
  return (
    <Modal opened={opened} onClose={onClose} title="Keyboard shortcuts">
      <Text size="sm" c="dimmed" mb="sm">
        They work while you type. At the end of a caption, ↓ moves to the next one; at its start, ↑ moves to the previous one.
      </Text>
      <dl className={classes.shortcuts}>
        {SHORTCUTS.map(({ command, does, ...keys }) => (
          <Fragment key={command}>
            <dt>
              {keysOf(keys, isApple).map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </Fragment>
        ))}
      </dl>
    </Modal>
  )
}
