import { Anchor } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import type { CaptionsEditor } from '#server/modules/videos/captions/draft-schema'
import { captionCount } from '../../../../../../_parts/captions/caption-count'
import type { DraftKeeper } from './draft-keeper'
import classes from './Editor.module.css'

/** Says whether the captions are saved, and whether viewers get them. */
export function SavedState({ keeper, captions }: { keeper: DraftKeeper; captions: CaptionsEditor['captions'] }) {
  const saving = useSyncExternalStore(keeper.subscribe, keeper.snapshot)
  if (saving.state === 'failed')
    return (
      <p className={classes.state} data-tone="bad" role="alert">
        Not saved: {saving.message}{' '}
        <Anchor component="button" type="button" inherit onClick={() => void keeper.flush()}>
          Try again
        </Anchor>
      </p>
    )
  if (saving.state === 'conflict')
    return (
      <p className={classes.state} data-tone="bad">
        Not saved until you choose a version
      </p>
    )
  if (saving.state !== 'saved') return <p className={classes.state}>Saving…</p>
  if (keeper.place.revision > 0) return <p className={classes.state}>Draft saved, not published</p>
  if (!captions) return <p className={classes.state}>Not published yet</p>
  return <p className={classes.state}>Published · {captionCount(captions.cues)}</p>
}
