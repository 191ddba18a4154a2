export type Command =
  | 'play'
  | 'back'
  | 'replay'
  | 'next'
  | 'previous'
  | 'current'
  | 'split'
  | 'merge'
  | 'insert'
  | 'remove'
  | 'start'
  | 'end'
  | 'shift'
  | 'find'
  | 'undo'
  | 'redo'
  | 'save'
  | 'publish'
  | 'help'

/** `editor` is Alt, and Control on a Mac, where Alt types characters; `command` is Control, and Command on a Mac. */
type Modifier = 'editor' | 'command' | 'command shift' | 'shift'

interface Shortcut {
  command: Command
  does: string
  held: Modifier
  /** As in `KeyboardEvent.key`, in lower case. */
  key: string
}

/** In the order of their list. All of them work while text is typed. */
export const SHORTCUTS: readonly Shortcut[] = [
  { command: 'play', does: 'Play or pause', held: 'shift', key: ' ' },
  { command: 'back', does: 'Back 2 seconds', held: 'editor', key: 'b' },
  { command: 'replay', does: 'Play the caption again', held: 'editor', key: 'r' },
  { command: 'next', does: 'Next caption', held: 'command', key: 'arrowdown' },
  { command: 'previous', does: 'Previous caption', held: 'command', key: 'arrowup' },
  { command: 'current', does: 'Go to the caption that is playing', held: 'editor', key: 'g' },
  { command: 'split', does: 'Split at the cursor', held: 'editor', key: 's' },
  { command: 'merge', does: 'Merge with the next caption', held: 'editor', key: 'm' },
  { command: 'insert', does: 'New caption', held: 'editor', key: 'n' },
  { command: 'remove', does: 'Delete the caption', held: 'editor', key: 'x' },
  { command: 'start', does: 'Start the caption here', held: 'editor', key: 'i' },
  { command: 'end', does: 'End the caption here', held: 'editor', key: 'o' },
  { command: 'shift', does: 'Shift times', held: 'editor', key: 't' },
  { command: 'find', does: 'Find and replace', held: 'command', key: 'f' },
  { command: 'undo', does: 'Undo', held: 'command', key: 'z' },
  { command: 'redo', does: 'Redo', held: 'command shift', key: 'z' },
  { command: 'save', does: 'Save the draft now', held: 'command', key: 's' },
  { command: 'publish', does: 'Publish', held: 'command', key: 'enter' },
  { command: 'help', does: 'Show the shortcuts', held: 'command', key: '/' },
]

const NAMES: Record<string, string> = { ' ': 'Space', arrowdown: '↓', arrowup: '↑', enter: 'Enter' }
const nameOf = (key: string) => NAMES[key] ?? key.toUpperCase()

/** Returns the keys of a shortcut as a keyboard shows them. */
export function keysOf({ held, key }: Pick<Shortcut, 'held' | 'key'>, isApple: boolean): string[] {
  const names: Record<Modifier, string[]> = isApple
    ? { editor: ['⌃'], command: ['⌘'], 'command shift': ['⌘', '⇧'], shift: ['⇧'] }
    : { editor: ['Alt'], command: ['Ctrl'], 'command shift': ['Ctrl', 'Shift'], shift: ['Shift'] }
  return [...names[held], nameOf(key)]
}

const byCommand = new Map(SHORTCUTS.map((one) => [one.command, one]))

/** Returns the keys of a command in a line: `Alt S`. */
export const keysFor = (command: Command, isApple: boolean): string =>
  keysOf(byCommand.get(command) as Shortcut, isApple).join(isApple ? '' : ' ')

/** Returns a label with the keys of a command: `Split at the cursor (Alt S)`. */
export const labelOf = (command: Command, isApple: boolean): string => `${byCommand.get(command)?.does} (${keysFor(command, isApple)})`

type Pressed = Pick<KeyboardEvent, 'key' | 'code' | 'altKey' | 'ctrlKey' | 'metaKey' | 'shiftKey'>

/** Returns the command of pressed keys. Where a key has no Latin letter, its place counts. */
export function commandOf({ key, code, altKey, ctrlKey, metaKey, shiftKey }: Pressed, isApple: boolean): Command | undefined {
  const control = isApple ? metaKey : ctrlKey
  const editor = isApple ? ctrlKey : altKey
  const others = isApple ? altKey : metaKey
  if (others || (control && editor)) return undefined
  const held = editor
    ? shiftKey
      ? undefined
      : 'editor'
    : control
      ? shiftKey
        ? 'command shift'
        : 'command'
      : shiftKey
        ? 'shift'
        : undefined
  const pressed = /^[^ -~]$/.test(key) ? code.replace(/^Key/, '').toLowerCase() : key.toLowerCase()
  if (held === 'command' && pressed === 'y') return 'redo'
  return SHORTCUTS.find((one) => one.held === held && one.key === pressed)?.command
}
