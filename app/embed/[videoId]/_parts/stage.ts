import { NOTICES, type NoticeName } from './notices.ts'
import { texts } from './texts.ts'

const part = <Kind extends HTMLElement>(id: string) => document.getElementById(id) as Kind

/** The page's elements, as document.ts wrote them. */
export const stage = part<HTMLElement>('stage')
export const video = part<HTMLVideoElement>('video')
export const player = part<HTMLElement>('player')
export const captionsButton = part<HTMLElement>('captions-button')
export const titleBar = part<HTMLElement>('title')
export const unmute = part<HTMLButtonElement>('unmute')
/** How far a growing video can be watched; empty for others. */
export const availability = part<HTMLElement>('availability')
const notice = part<HTMLElement>('notice')
const retry = part<HTMLButtonElement>('retry')

/** Shows the video and its controls. */
export function showVideo(): void {
  stage.dataset.state = 'playing'
  player.inert = false
  notice.hidden = true
}

/** Shows the loading state: a spinner, over the poster once that is loaded. */
export function showLoading(): void {
  stage.dataset.state = 'loading'
  notice.hidden = true
}

/** Announces a change to screen readers. */
export function say(text: string): void {
  part('news').textContent = text
}

export interface Shown {
  /** The service's code and request id, for developers. */
  code?: string | undefined
  onRetry?: () => void
}

/**
 * Shows a notice instead of the video and announces it to screen readers. Returns its title. Without texts, whose file failed to load, it
 * is the one that the document holds.
 */
export function showNotice(name: NoticeName, { code, onRetry }: Shown = {}): string {
  const notices = texts()?.notices
  video.pause()
  stage.dataset.state = name
  // The keyboard must not reach the controls behind the notice.
  player.inert = true
  unmute.hidden = true
  const heading = part('notice-title')
  if (notices) {
    const { title, text, alone } = notices[name]
    heading.textContent = title
    // Only a page around the player can be reloaded with a new token.
    part('notice-text').textContent = parent === window ? (alone ?? text) : text
  }
  part('notice-code').textContent = code ?? ''
  retry.hidden = !NOTICES[name].retry || !onRetry
  retry.onclick = onRetry ?? null
  notice.setAttribute('role', 'alert')
  notice.hidden = false
  return heading.textContent
}
