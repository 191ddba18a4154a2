import { Button, Group } from '@mantine/core'
import { IconGitMerge, IconHistory } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useEffectEvent, useMemo, useSyncExternalStore } from 'react'
import type { CaptionsEditor } from '#server/modules/videos/captions/draft-schema'
import { useTRPC } from '../../../../../../_trpc/client'
import { formatCount } from '../../../../../../_ui/format'
import { RelativeTime } from '../../../../../../_ui/RelativeTime'
import type { UnsavedCaptions } from '../../../../../_parts/videos/unsaved-captions'
import { Comparison } from './Comparison'
import classes from './Conflicts.module.css'
import { type Cue, parseVtt, toVtt } from './cue-document'
import { differences } from './differences'
import type { DraftKeeper, Place } from './draft-keeper'
import { placeOf } from './use-draft'

interface Props {
  asked: { videoId: string; language: string }
  keeper: DraftKeeper
  latest: CaptionsEditor
  /** When `latest` was read. */
  latestAt: number
  cues: readonly Cue[]
  /** Shows another text, in place of the draft if one is named. */
  onTake: (text: string, did: string, place?: Place) => void
}

/** Shows what others changed while these captions were edited, next to one's own version, and lets the person choose. */
export function Conflicts({ asked: { videoId, language }, keeper, latest, latestAt, cues, onTake }: Props) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const saving = useSyncExternalStore(keeper.subscribe, keeper.snapshot)
  const { draft, captions } = latest
  const place = keeper.place
  const isRefused = saving.state === 'conflict'
  const isBehind = saving.state === 'saved' && latestAt > keeper.placedAt && (draft ? draft.revision > place.revision : place.revision > 0)
  const isStale = !isRefused && !isBehind && (captions?.name ?? null) !== place.basedOn
  useEffect(() => {
    if (isRefused) void client.invalidateQueries(trpc.captions.editor.queryFilter({ videoId, language }))
  }, [client, trpc, videoId, language, isRefused])
  // The other version may be one's own: its answer was lost.
  const isRead = isRefused && draft !== null && draft.revision >= (saving.theirs?.revision ?? Number.POSITIVE_INFINITY)
  const isOwn = useMemo(() => isRead && toVtt(cues) === latest.text, [isRead, cues, latest.text])
  const ownRevision = isOwn ? draft?.revision : undefined
  useEffect(() => {
    if (ownRevision !== undefined) keeper.keepMine({ revision: ownRevision, basedOn: keeper.place.basedOn })
  }, [keeper, ownRevision])
  const current = latest.versions.find(({ isCurrent }) => isCurrent)
  const published = useQuery(
    trpc.captions.version.queryOptions(
      { videoId, language, number: current?.number ?? 0 },
      { enabled: isStale && draft !== null && current !== undefined, staleTime: Number.POSITIVE_INFINITY },
    ),
  )
  if (isRefused || isBehind) {
    const theirs = isRefused && (saving.theirs?.revision ?? 0) > (draft?.revision ?? 0) ? saving.theirs : draft
    return (
      <Versions
        title={
          theirs ? (
            <>
              {theirs.by} changed this draft <RelativeTime date={theirs.at} />
            </>
          ) : (
            'Another person published or discarded this draft while you were editing'
          )
        }
        takes={theirs ? 'Use their version' : 'Use the current captions'}
        keeps="Keep my version"
        cues={cues}
        text={theirs === draft ? latest.text : undefined}
        onTake={(text) => onTake(text, 'Loaded the other version', placeOf(latest))}
        onKeep={() =>
          keeper.keepMine(theirs ? { revision: theirs.revision, basedOn: place.basedOn } : { revision: 0, basedOn: captions?.name ?? null })
        }
      />
    )
  }
  if (!isStale) return null
  return (
    <Versions
      title={
        <>
          {captions ? 'The published captions changed' : 'The published captions were deleted'} after this draft began
          {captions && current && (
            <>
              {' '}
              ({current.by ?? 'Reelgate'}, <RelativeTime date={current.at} />)
            </>
          )}
        </>
      }
      takes="Use the published captions"
      keeps="Keep the draft"
      cues={cues}
      text={!captions ? '' : draft ? published.data?.text : latest.text}
      onTake={(text) => {
        keeper.rebase(captions?.name ?? null)
        onTake(text, 'Loaded the published captions')
      }}
      onKeep={() => keeper.keepMine({ ...keeper.place, basedOn: captions?.name ?? null })}
    />
  )
}

interface VersionsProps {
  title: ReactNode
  takes: string
  keeps: string
  cues: readonly Cue[]
  /** The other version, WebVTT. Undefined while it loads. */
  text: string | undefined
  onTake: (text: string) => void
  onKeep: () => void
}

function Versions({ title, takes, keeps, cues, text, onTake, onKeep }: VersionsProps) {
  const theirs = useMemo(() => (text === undefined ? undefined : parseVtt(text)), [text])
  return (
    <section className={classes.conflict} role="alert">
      <div className={classes.head}>
        <IconGitMerge size={16} />
        <span>{title}</span>
      </div>
      {theirs && <Comparison mine={cues} theirs={theirs} titles={['Yours', 'Theirs']} />}
      <Group gap="xs">
        <Button size="xs" variant="default" loading={text === undefined} onClick={() => text !== undefined && onTake(text)}>
          {takes}
        </Button>
        <Button size="xs" onClick={onKeep}>
          {keeps}
        </Button>
      </Group>
    </section>
  )
}

interface UnsavedProps {
  unsaved: UnsavedCaptions
  cues: readonly Cue[]
  onRestore: (cues: readonly Cue[]) => void
  onDiscard: () => void
}

/** Offers the edits of an earlier visit that the server never got. */
export function Unsaved({ unsaved, cues, onRestore, onDiscard }: UnsavedProps) {
  const kept = useMemo(() => parseVtt(unsaved.text), [unsaved])
  const count = useMemo(() => differences(kept, cues).length, [kept, cues])
  const end = useEffectEvent(onDiscard)
  useEffect(() => {
    // What was on its way as the page closed has arrived.
    if (count === 0) end()
  }, [count])
  return (
    <section className={classes.conflict} role="alert">
      <div className={classes.head}>
        <IconHistory size={16} />
        <span>
          {formatCount(count)} unsaved {count === 1 ? 'change' : 'changes'} from <RelativeTime date={unsaved.at} />
        </span>
      </div>
      <Comparison mine={kept} theirs={cues} titles={['Unsaved', 'Now']} />
      <Group gap="xs">
        <Button size="xs" variant="default" onClick={onDiscard}>
          Discard
        </Button>
        <Button size="xs" onClick={() => onRestore(kept)}>
          Restore
        </Button>
      </Group>
    </section>
  )
}
