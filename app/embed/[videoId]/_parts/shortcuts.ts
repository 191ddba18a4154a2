import { player, stage } from './stage.ts'

const ofBrowser = ({ ctrlKey, metaKey, altKey }: KeyboardEvent) => ctrlKey || metaKey || altKey

/**
 * Lets the player's shortcuts work before any element has the focus, and leaves those with a modifier, such as Ctrl+F, to the browser: Media
 * Chrome would show the full screen as well.
 */
export function listenToShortcuts(): void {
  player.addEventListener('keydown', (event) => ofBrowser(event) && event.stopImmediatePropagation(), { capture: true })
  document.addEventListener('keydown', (event) => {
    if (event.target !== document.body || stage.dataset.state !== 'playing' || ofBrowser(event)) return
    // A key that is held seeks on, but does not start and stop the video many times a second.
    if (event.repeat && !event.key.startsWith('Arrow')) return
    ;(player as HTMLElement & { keyboardShortcutHandler?(event: KeyboardEvent): void }).keyboardShortcutHandler?.(event)
  })
}
