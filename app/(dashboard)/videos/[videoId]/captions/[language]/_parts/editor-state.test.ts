import { expect, it } from 'vitest'
import { type Cue, vttOf } from './cue-document.ts'
import { type Action, type EditorState, open, reduce } from './editor-state.ts'
import { insert, merge, remove, shift, split } from './edits.ts'

const cue = (id: number, startMs: number, text: string): Cue => ({
  id,
  startMs,
  endMs: startMs + 2_000,
  settings: '',
  text,
  vtt: vttOf(text),
})
const CUES = [cue(1, 0, 'one two'), cue(2, 2_000, 'three'), cue(3, 9_000, 'four')]
const after = (state: EditorState, ...actions: Action[]) => actions.reduce(reduce, state)
const type = (text: string, at: number, id = 1): Action => ({ type: 'type', id, text, at })
const UNDO = { type: 'undo' } as const
const REDO = { type: 'redo' } as const

it.each([
  ['split', (cues: readonly Cue[]) => split(cues, 1, { caret: 4, playheadMs: 0 })],
  ['merge', (cues: readonly Cue[]) => merge(cues, 1)],
  ['insert', (cues: readonly Cue[]) => insert(cues, 2, 2_000)],
  ['remove', (cues: readonly Cue[]) => remove(cues, 2)],
  ['shift', (cues: readonly Cue[]) => shift(cues, 500)],
])('%s is undone and done again', (_, change) => {
  const edited = after(open(CUES), { type: 'edit', outcome: change(CUES) })
  expect(edited.history.cues).not.toEqual(CUES)
  const undone = after(edited, UNDO)
  expect(undone.history.cues).toBe(CUES)
  expect(after(undone, REDO).history.cues).toBe(edited.history.cues)
})

it('undoes what was typed without a pause at once, and what was typed elsewhere or later apart', () => {
  const typed = after(
    open(CUES),
    type('o', 0),
    type('on', 900),
    type('on!', 1_800),
    type('t', 2_000, 2),
    type('on!!', 2_100),
    type('on!!!', 9_000),
  )
  const texts = (state: EditorState) => state.history.cues.slice(0, 2).map(({ text }) => text)
  expect(texts(typed)).toEqual(['on!!!', 't'])
  expect(texts(after(typed, UNDO))).toEqual(['on!!', 't'])
  expect(texts(after(typed, UNDO, UNDO))).toEqual(['on!', 't'])
  expect(texts(after(typed, UNDO, UNDO, UNDO))).toEqual(['on!', 'three'])
  expect(texts(after(typed, UNDO, UNDO, UNDO, UNDO))).toEqual(['one two', 'three'])
  expect(after(typed, UNDO, UNDO, UNDO, UNDO).history.cues).toBe(CUES)
})

it('what is typed after an undo replaces what was undone', () => {
  const state = after(open(CUES), type('o', 0), UNDO, type('p', 100))
  expect(after(state, REDO).history.cues[0]?.text).toBe('p')
  expect(after(state, UNDO).history.cues).toBe(CUES)
})

it('goes to the caption that was changed, undone or done again', () => {
  const edited = after(open(CUES), { type: 'edit', outcome: remove(CUES, 2) })
  expect(edited).toMatchObject({ activeId: 3, wanted: { id: 3 }, said: { text: 'Deleted the caption.', refused: false } })
  const undone = after(edited, UNDO)
  expect(undone).toMatchObject({ activeId: 2, wanted: { id: 2 }, said: { text: 'Undone: Deleted the caption.' } })
  expect(after(undone, REDO)).toMatchObject({ activeId: 3 })
})

it('says why nothing changed', () => {
  const state = after(open(CUES), { type: 'edit', outcome: merge(CUES, 3) })
  expect(state.history.cues).toBe(CUES)
  expect(state.said).toEqual({ text: 'There is no caption after this one.', refused: true })
  expect(after(open([]), UNDO).said?.text).toBe('Nothing to undo.')
})
