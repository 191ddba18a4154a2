import type { Cue } from './cue-document.ts'
import type { Change } from './edits.ts'

/** Edits of the text of one cue within this time are undone together. */
const TOGETHER_MS = 1_000
/** Steps that can be undone. */
const MOST = 500

interface Step {
  /** The cues on the other side of this step. */
  cues: readonly Cue[]
  did: string
  /** The cues that have the focus before and after the change. */
  from: number | undefined
  focus: number | undefined
  /** When the text was typed, in milliseconds. Undefined for another change. */
  typedAt?: number
}

/** A document with what can be undone and done again, latest last. */
export interface History {
  cues: readonly Cue[]
  past: readonly Step[]
  future: readonly Step[]
}

export const begin = (cues: readonly Cue[]): History => ({ cues, past: [], future: [] })

/** Adds a change. `typedAt`: when its text was typed. */
export function apply(history: History, change: Change, typedAt?: number): History {
  const { cues, past } = history
  const last = past.at(-1)
  const joins =
    typedAt !== undefined &&
    last?.typedAt !== undefined &&
    typedAt - last.typedAt < TOGETHER_MS &&
    last.focus === change.focus &&
    history.future.length === 0
  const { did, from, focus } = change
  const step: Step = joins ? { ...last, typedAt } : { cues, did, from, focus, ...(typedAt !== undefined && { typedAt }) }
  return { cues: change.cues, past: [...(joins ? past.slice(0, -1) : past.slice(1 - MOST)), step], future: [] }
}

/** Undoes the last step. Undefined if there is none. `focus`: the cue that it concerns. */
export function undo({ cues, past, future }: History): { history: History; did: string; focus: number | undefined } | undefined {
  const step = past.at(-1)
  if (!step) return undefined
  const history = { cues: step.cues, past: past.slice(0, -1), future: [...future, { ...step, cues }] }
  return { history, did: step.did, focus: step.from }
}

/** Does the last undone step again. Undefined if there is none. */
export function redo({ cues, past, future }: History): { history: History; did: string; focus: number | undefined } | undefined {
  const step = future.at(-1)
  if (!step) return undefined
  const history = { cues: step.cues, past: [...past, { ...step, cues }], future: future.slice(0, -1) }
  return { history, did: step.did, focus: step.focus ?? step.from }
}
