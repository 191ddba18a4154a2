// Only the parts of Media Chrome that document.ts uses.
import 'media-chrome/dist/media-controller.js'
import 'media-chrome/dist/media-control-bar.js'
import 'media-chrome/dist/media-play-button.js'
import 'media-chrome/dist/media-mute-button.js'
import 'media-chrome/dist/media-seek-backward-button.js'
import 'media-chrome/dist/media-seek-forward-button.js'
import 'media-chrome/dist/media-volume-range.js'
import 'media-chrome/dist/media-time-range.js'
import 'media-chrome/dist/media-time-display.js'
import 'media-chrome/dist/media-captions-button.js'
import 'media-chrome/dist/media-airplay-button.js'
import 'media-chrome/dist/media-pip-button.js'
import 'media-chrome/dist/media-fullscreen-button.js'
import 'media-chrome/dist/menu/media-settings-menu.js'
import 'media-chrome/dist/menu/media-settings-menu-item.js'
import 'media-chrome/dist/menu/media-settings-menu-button.js'
import 'media-chrome/dist/menu/media-playback-rate-menu.js'
import 'media-chrome/dist/menu/media-rendition-menu.js'
import 'media-chrome/dist/menu/media-audio-track-menu.js'
import 'media-chrome/dist/menu/media-captions-menu.js'
import { raiseCaptions } from './raise-captions.ts'
import { fill, language, texts } from './texts.ts'

interface Menu extends HTMLElement {
  readonly items: HTMLElement[]
  formatMenuItemText(text: string, data?: unknown): string
}
const menu = (name: string) => document.querySelector(`media-${name}-menu`) as Menu

const decimal = new Intl.NumberFormat(language)
menu('playback-rate').formatMenuItemText = (_text, rate) => `${decimal.format(rate as number)}x`
// The master playlist names embedded captions by their order (server/modules/delivery/playlists/master-playlist.ts).
menu('captions').formatMenuItemText = (text) => {
  const [unnamed, number] = /^Closed captions(?: (\d))?$/.exec(text) ?? []
  if (!unnamed) return text
  return number ? fill(texts()?.morePictureCaptions ?? text, { number }) : (texts()?.pictureCaptions ?? text)
}

// Media Chrome names the button by `mediapaused` alone.
for (const button of document.querySelectorAll('media-play-button')) {
  const name = () => {
    const { controls, labels } = texts() ?? {}
    if (!controls || !labels || !button.hasAttribute('mediapaused')) return
    button.setAttribute('aria-label', button.hasAttribute('mediaended') ? labels.replay : controls.play)
  }
  new MutationObserver(name).observe(button, { attributeFilter: ['mediaended', 'mediapaused'] })
}

// Media Chrome's arrow keys stop at items without a box too: those of settings that the video does not have.
const settings = document.getElementById('settings') as Menu
const { get: allItems } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Object.getPrototypeOf(settings)), 'items') ?? {}
Object.defineProperty(settings, 'items', {
  get: (): HTMLElement[] => allItems?.call(settings).filter((item: HTMLElement) => item.getClientRects().length > 0),
})

// Media Chrome's back button of a submenu: its name must contain its visible text, and a menu may contain items alone.
for (const submenu of document.querySelectorAll('[slot=submenu]')) {
  const back = submenu.shadowRoot?.querySelector('button[part~=back]')
  back?.setAttribute('role', 'menuitem')
  back?.setAttribute('aria-label', fill(texts()?.back ?? '', { menu: submenu.querySelector('[slot=title]')?.textContent }))
}

raiseCaptions()
