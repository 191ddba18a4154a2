import { NOTICES, type Notice, type NoticeName } from './notices.ts'

const part = <Kind extends HTMLElement>(id: string) => document.getElementById(id) as Kind

/** The page's parts, as document.ts wrote them. */
export const stage = part<HTMLElement>('stage')
export const video = part<HTMLVideoElement>('video')
export const player = part<HTMLElement>('player')
export const captionsButton = part<HTMLElement>('captions-button')
export const titleBar = part<HTMLElement>('title')
export const unmute = part<HTMLButtonElement>('unmute')
const notice = part<HTMLElement>('notice')
const retry = part<HTMLButtonElement>('retry')

/** Lifts the curtain: the video and its controls. */
export function showVideo(): void {
  stage.dataset.state = 'playing'
  player.inert = false
  notice.hidden = true
}

/** The waiting state: black and a spinner. */
export function showLoading(): void {
  stage.dataset.state = 'loading'
  notice.hidden = true
}

export interface Shown {
  /** For the people who build with it: the service's code and request id. */
  code?: string | undefined
  onRetry?: () => void
}

/** Shows a notice instead of the video, to screen readers too. */
export function showNotice(name: NoticeName, { code, onRetry }: Shown = {}): void {
  const { title, text, retry: canRetry }: Notice = NOTICES[name]
  video.pause()
  stage.dataset.state = name
  // Controls behind the notice must not be reached by keyboard.
  player.inert = true
  unmute.hidden = true
  part('notice-title').textContent = title
  part('notice-text').textContent = text
  part('notice-code').textContent = code ?? ''
  retry.hidden = !canRetry || !onRetry
  retry.onclick = onRetry ?? null
  notice.setAttribute('role', 'alert')
  notice.hidden = false
}
