import type { Cue } from './cue-document.ts'
import { type Outcome, setText } from './edits.ts'
import { apply, begin, type History, redo, undo } from './history.ts'

export interface EditorState {
  history: History
  /** The cue that the tools change: the one that had the focus last. */
  activeId: number | undefined
  /** The cue that is to get the focus, with the caret at a place or at the end. A new object each time. */
  wanted: { id: number; caret?: number } | undefined
  /** What happened last, for the person. */
  said: { text: string; refused: boolean } | undefined
}

export type Action =
  | { type: 'edit'; outcome: Outcome }
  /** The text of a cue was typed, at a time in milliseconds. */
  | { type: 'type'; id: number; text: string; at: number }
  | { type: 'undo' | 'redo' }
  /** A cue has received the focus. */
  | { type: 'activate'; id: number }
  /** A cue is to receive the focus. */
  | { type: 'go'; id: number | undefined; caret?: number }
  | { type: 'say'; text: string }
  /** Begins anew with the text of another person. */
  | { type: 'load'; cues: readonly Cue[]; text: string }

export const open = (cues: readonly Cue[]): EditorState => ({
  history: begin(cues),
  activeId: cues[0]?.id,
  wanted: undefined,
  said: undefined,
})

export function reduce(state: EditorState, action: Action): EditorState {
  switch (action.type) {
    case 'activate':
      return state.activeId === action.id ? state : { ...state, activeId: action.id }
    case 'go':
      return action.id === undefined ? state : { ...state, activeId: action.id, wanted: placeOf(action.id, action.caret) }
    case 'say':
      return { ...state, said: { text: action.text, refused: false } }
    case 'load':
      return { ...open(action.cues), said: { text: action.text, refused: false } }
    case 'type': {
      const outcome = setText(state.history.cues, action.id, action.text)
      return 'refused' in outcome ? state : { ...state, history: apply(state.history, outcome, action.at), said: undefined }
    }
    case 'edit': {
      const { outcome } = action
      if ('refused' in outcome) return { ...state, said: { text: outcome.refused, refused: true } }
      const history = apply(state.history, outcome)
      const said = { text: `${outcome.did}.`, refused: false }
      const { focus, caret } = outcome
      return focus === undefined
        ? { ...withActive(state, history), said }
        : { history, activeId: focus, wanted: placeOf(focus, caret), said }
    }
    default: {
      const step = (action.type === 'undo' ? undo : redo)(state.history)
      if (!step) return { ...state, said: { text: `Nothing to ${action.type}.`, refused: true } }
      const said = { text: `${action.type === 'undo' ? 'Undone' : 'Redone'}: ${step.did}.`, refused: false }
      const focus = step.history.cues.find(({ id }) => id === step.focus)?.id
      const moved = focus === undefined ? {} : { activeId: focus, wanted: placeOf(focus) }
      return { ...withActive(state, step.history), ...moved, said }
    }
  }
}

const placeOf = (id: number, caret?: number) => ({ id, ...(caret !== undefined && { caret }) })

/** Keeps the active cue if it is still there. */
function withActive(state: EditorState, history: History): EditorState {
  const isThere = history.cues.some(({ id }) => id === state.activeId)
  return { ...state, history, activeId: isThere ? state.activeId : history.cues[0]?.id }
}
