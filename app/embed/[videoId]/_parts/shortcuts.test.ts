import { beforeEach, expect, test, vi } from 'vitest'
import { listenToShortcuts } from './shortcuts.ts'

const parts = vi.hoisted(() => ({ player: Object.assign(new EventTarget(), { keyboardShortcutHandler: (_: unknown) => {} }) }))
vi.mock('./stage.ts', () => ({ player: parts.player, stage: { dataset: { state: 'playing' } } }))

const obeyed = vi.fn()
const mediaChrome = vi.fn()
let page: EventTarget & { body: unknown }
beforeEach(() => {
  page = Object.assign(new EventTarget(), { body: undefined as unknown })
  // The event's target.
  page.body = page
  vi.stubGlobal('document', page)
  parts.player.keyboardShortcutHandler = obeyed
  vi.clearAllMocks()
})
const press = (to: EventTarget, key: string, more: Partial<KeyboardEvent> = {}) =>
  to.dispatchEvent(Object.assign(new Event('keydown'), { key, ctrlKey: false, metaKey: false, altKey: false, repeat: false, ...more }))

test('shortcuts work before any element has the focus, and those with a modifier do not reach the player', () => {
  listenToShortcuts()
  parts.player.addEventListener('keydown', mediaChrome)
  press(page, 'f')
  press(parts.player, 'f')
  expect([obeyed, mediaChrome].map(({ mock }) => mock.calls.length)).toEqual([1, 1])
  for (const [key, modifier] of [
    ['f', 'ctrlKey'],
    ['c', 'metaKey'],
    ['ArrowLeft', 'altKey'],
  ] as const) {
    press(page, key, { [modifier]: true })
    press(parts.player, key, { [modifier]: true })
  }
  expect([obeyed, mediaChrome].map(({ mock }) => mock.calls.length)).toEqual([1, 1])
})

test('a held key seeks on, and plays or pauses once', () => {
  listenToShortcuts()
  for (const key of [' ', 'ArrowRight']) {
    press(page, key)
    press(page, key, { repeat: true })
  }
  expect(obeyed.mock.calls.map(([event]) => event.key)).toEqual([' ', 'ArrowRight', 'ArrowRight'])
})
