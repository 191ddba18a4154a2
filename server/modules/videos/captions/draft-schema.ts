import { z } from 'zod'
import { CAPTIONS_TOO_LONG, captionLabel, extraName, language, MAX_CAPTION_CHARACTERS, putCaptionsInput, videoIdInput } from '../schema.ts'

export const editorInput = videoIdInput.extend({ language })
export type EditorInput = z.output<typeof editorInput>

export const captionVersionInput = editorInput.extend({ number: z.int().min(1) })
export type CaptionVersionInput = z.output<typeof captionVersionInput>

/** The draft as the editor shows it; 0 if it shows none. */
const revision = z.int().min(0)

export const saveDraftInput = editorInput.extend({
  /** WebVTT. It may have no cues, and is kept as it is. */
  text: z.string().max(MAX_CAPTION_CHARACTERS, CAPTIONS_TOO_LONG),
  revision,
  /** `name` of the captions that the draft was begun from, or was brought up to date with. Null if there were none. */
  basedOn: extraName.nullable(),
})
export type SaveDraftInput = z.output<typeof saveDraftInput>

export const discardDraftInput = editorInput.extend({ revision })
export type DiscardDraftInput = z.output<typeof discardDraftInput>

export const publishDraftInput = editorInput.extend({
  revision,
  /** If empty, the label of the captions that it replaces, or the language's own name. */
  label: captionLabel.default(''),
  expected: putCaptionsInput.shape.expected,
})
export type PublishDraftInput = z.input<typeof publishDraftInput>

/** `source`: from the video's file. `edited`: published from the editor. */
export type VersionKind = 'generated' | 'uploaded' | 'edited' | 'source'

/** Captions of a language as they are, or as they were before a change. */
export interface CaptionsVersion {
  /** Counts from 1 in its language; the newest has the highest. */
  number: number
  /** Since when the text was stored, and who stored it: an email address or the name of a key. `by`: null for the service. */
  at: Date
  by: string | null
  kind: VersionKind
  cues: number
  label: string
  /** Whether players show it. */
  isCurrent: boolean
}

/** A saved draft, as a conflict names it: who saved it last, and when. */
export interface SavedDraft {
  revision: number
  by: string
  at: Date
}

/** What the editor shows of captions in one language. */
export interface CaptionsEditor {
  /** Null if there are none. */
  captions: { name: string; label: string; cues: number; generated: boolean; edited: boolean } | null
  /** WebVTT: the draft, or else the captions, or else a file without cues. */
  text: string
  /** `isStale`: the captions have changed since `basedOn`. */
  draft: (SavedDraft & { basedOn: string | null; isStale: boolean }) | null
  /** Newest first. Empty if the language never had captions. */
  versions: CaptionsVersion[]
}
