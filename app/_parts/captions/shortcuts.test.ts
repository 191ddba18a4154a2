import { expect, it } from 'vitest'
import { commandOf, keysFor, labelOf, SHORTCUTS } from './shortcuts.ts'

const press = (key: string, held: Partial<Record<'altKey' | 'ctrlKey' | 'metaKey' | 'shiftKey', boolean>>, code = '') => ({
  ...{ key, code, altKey: false, ctrlKey: false, metaKey: false, shiftKey: false },
  ...held,
})

it('no two commands have the same keys, on any keyboard', () => {
  for (const isApple of [false, true]) {
    const keys = SHORTCUTS.map(({ command }) => keysFor(command, isApple))
    expect(new Set(keys).size).toBe(SHORTCUTS.length)
  }
})

it('knows the keys of each keyboard', () => {
  expect(commandOf(press('s', { altKey: true }), false)).toBe('split')
  expect(commandOf(press('s', { ctrlKey: true }), true)).toBe('split')
  expect(commandOf(press('s', { ctrlKey: true }), false)).toBe('save')
  expect(commandOf(press('s', { metaKey: true }), true)).toBe('save')
  expect(commandOf(press('Z', { ctrlKey: true, shiftKey: true }), false)).toBe('redo')
  expect(commandOf(press('y', { ctrlKey: true }), false)).toBe('redo')
  expect(commandOf(press(' ', { shiftKey: true }), false)).toBe('play')
  expect(commandOf(press('ы', { altKey: true }, 'KeyS'), false)).toBe('split')
  expect(labelOf('split', true)).toBe('Split at the cursor (⌃S)')
  expect(labelOf('split', false)).toBe('Split at the cursor (Alt S)')
})

it('leaves all other keys to the text', () => {
  for (const typed of ['s', ' ', 'Enter', 'ArrowDown', 'ß']) expect(commandOf(press(typed, {}), false)).toBeUndefined()
  expect(commandOf(press('ß', { altKey: true }, 'KeyS'), true)).toBeUndefined()
  // AltGr is Control and Alt.
  expect(commandOf(press('ś', { altKey: true, ctrlKey: true }, 'KeyS'), false)).toBeUndefined()
  expect(commandOf(press('S', { shiftKey: true }), false)).toBeUndefined()
})
