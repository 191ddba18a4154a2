import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { CaptionsEditor } from '#server/modules/videos/captions/draft-schema'
import { useTRPC } from '../../../../../../_trpc/client'
import { conflictOf } from '../../../../../../_ui/form/conflict-of'
import { formatCount } from '../../../../../../_ui/format'
import { keepUnsaved, type UnsavedCaptions, unsavedOf } from '../../../../../_parts/videos/unsaved-captions'
import type { Cue } from './cue-document'
import { DraftKeeper, type Place, type Sent, type Theirs } from './draft-keeper'

/** Where the draft stands that the server has returned. */
export const placeOf = ({ draft, captions }: CaptionsEditor): Place => ({
  revision: draft?.revision ?? 0,
  basedOn: draft ? draft.basedOn : (captions?.name ?? null),
})

type Refusal = Parameters<typeof conflictOf>[0]
const theirsOf = (error: unknown): Theirs | undefined => conflictOf<{ draft?: Theirs }>(error as Refusal)?.draft

interface Draft {
  keeper: DraftKeeper
  /** Publishes the draft. Failures are shown. */
  publish: () => Promise<void>
  /** Discards the draft, and returns what is stored then. Undefined if it failed. */
  discard: () => Promise<CaptionsEditor | undefined>
  isBusy: boolean
  /** What the browser kept of an earlier visit, until the person takes or discards it. */
  unsaved: UnsavedCaptions | undefined
  /** Ends the offer. With `cues`, they are saved in its place, unless others have changed since what they change. */
  settleUnsaved: (cues?: readonly Cue[]) => void
}

/** Keeps the captions in the editor saved as a draft, also when the page closes, and publishes them. */
export function useDraft(asked: { videoId: string; language: string }, latest: CaptionsEditor, opened: readonly Cue[]): Draft {
  const trpc = useTRPC()
  const client = useQueryClient()
  const always = { networkMode: 'always' } as const
  const saved = useMutation(trpc.captions.saveDraft.mutationOptions({ ...always, meta: { keepsPage: true } }))
  const published = useMutation(trpc.captions.publishDraft.mutationOptions(always))
  const discarded = useMutation(trpc.captions.discardDraft.mutationOptions(always))
  const [unsaved, setUnsaved] = useState(() => unsavedOf(asked, latest.text))
  // While it is offered, nothing takes its place.
  const isOffered = useRef(unsaved !== undefined)
  const [keeper] = useState(() => {
    const keep = (kept: Sent | undefined) => isOffered.current || keepUnsaved(asked, kept && { ...kept, at: new Date() })
    return new DraftKeeper({ save: (sent) => saved.mutateAsync({ ...asked, ...sent }), theirsOf, keep }, opened, placeOf(latest))
  })
  const [openedAt] = useState(keeper.place)
  const settleUnsaved = (cues?: readonly Cue[]) => {
    isOffered.current = false
    setUnsaved(undefined)
    if (!cues || !unsaved) return keepUnsaved(asked, undefined)
    const { revision, basedOn } = unsaved
    keeper.change(cues)
    if (revision !== openedAt.revision || basedOn !== openedAt.basedOn) keeper.keepMine({ revision, basedOn })
  }
  const [isBusy, setBusy] = useState(false)
  const readAgain = async () => {
    const options = trpc.captions.editor.queryOptions(asked, { staleTime: 0 })
    // An answer on its way may be from before.
    await client.cancelQueries({ queryKey: options.queryKey })
    return client.fetchQuery(options)
  }

  useEffect(() => {
    const leave = (event: Event) => {
      if (!keeper.leave() && event.type === 'beforeunload') event.preventDefault()
    }
    const hide = () => {
      if (document.hidden) void keeper.flush()
    }
    const online = () => void keeper.flush()
    window.addEventListener('beforeunload', leave)
    window.addEventListener('pagehide', leave)
    window.addEventListener('online', online)
    document.addEventListener('visibilitychange', hide)
    return () => {
      window.removeEventListener('beforeunload', leave)
      window.removeEventListener('pagehide', leave)
      window.removeEventListener('online', online)
      document.removeEventListener('visibilitychange', hide)
      void keeper.flush().then((isSaved) => {
        if (isSaved) return
        const message = 'Another person saved the draft, or the server could not be reached. Open the editor again to restore them.'
        notifications.show({ color: 'red', autoClose: false, title: 'Your last caption edits were not saved', message })
      })
    }
  }, [keeper])

  const refused = (error: unknown, title: string) => {
    const theirs = theirsOf(error)
    if (theirs !== undefined) keeper.collide(theirs)
    else notifications.show({ color: 'red', title, message: (error as Error).message })
    void readAgain()
  }
  const publish = async () => {
    setBusy(true)
    try {
      let count = 0
      const isPublished = await keeper.publish(async (revision) => {
        const { captions } = latest
        const expected = captions && { name: captions.name, label: captions.label }
        const { cues, name = null } = await published.mutateAsync({ ...asked, revision, expected })
        count = cues
        return name
      })
      if (!isPublished) return
      // Published they are, also if this fails.
      await readAgain().catch(() => undefined)
      const message = `Players that load from now on show ${count === 1 ? 'this caption' : `these ${formatCount(count)} captions`}.`
      notifications.show({ withBorder: true, title: 'Published', message })
      void client.invalidateQueries(trpc.video.pathFilter())
    } catch (error) {
      refused(error, 'Not published')
    } finally {
      setBusy(false)
    }
  }
  const discard = async () => {
    setBusy(true)
    try {
      await keeper.flush()
      await discarded.mutateAsync({ ...asked, revision: keeper.place.revision })
      return await readAgain()
    } catch (error) {
      refused(error, 'Not discarded')
      return undefined
    } finally {
      setBusy(false)
    }
  }
  return { keeper, publish, discard, isBusy, unsaved, settleUnsaved }
}
