import { CHANNEL } from '../../../_parts/player/channel.ts'
import { readTime } from '../../../_parts/player/read-time.ts'
import { formatDuration } from '../../../_ui/format.ts'
import { NOTICES, type Refusal } from './notices.ts'

/** The script of a watch page: shows the video of the link, and begins a view of it when the viewer plays. */
type About = { title: string; durationSec: number; posterUrl: string | null }

const part = <Kind extends HTMLElement>(id: string) => document.getElementById(id) as Kind
const [stage, frame, play] = [part('watch'), part('frame'), part<HTMLButtonElement>('play')]

function refuse(reason: Refusal): void {
  const { title, text } = NOTICES[reason]
  part('notice-title').textContent = title
  part('notice-text').textContent = text
  part('notice').hidden = false
  play.hidden = true
  stage.dataset.state = 'refused'
}

/** Returns the answer of the service; a refusal is shown. */
async function ask<Answer>(path: string, method: 'GET' | 'POST'): Promise<Answer | undefined> {
  try {
    const answer = await fetch(`${location.pathname.replace(/\/$/, '')}${path}`, {
      method,
      cache: 'no-store',
      referrerPolicy: 'no-referrer',
    })
    const body = (await answer.json()) as Answer & { refused?: Refusal }
    if (answer.ok) return body
    refuse(body.refused ?? 'trouble')
  } catch {
    refuse('offline')
  }
}

async function show(): Promise<void> {
  const about = await ask<About>('/about', 'GET')
  if (!about) return
  document.title = about.title
  part('title').textContent = about.title
  part('duration').textContent = about.durationSec > 0 ? formatDuration(about.durationSec) : ''
  part('about').hidden = false
  play.setAttribute('aria-label', `Play “${about.title}”`)
  play.hidden = false
  stage.dataset.state = 'ready'
  if (!about.posterUrl) return
  const poster = Object.assign(new Image(), { src: about.posterUrl, alt: '', id: 'poster' })
  poster.addEventListener('load', () => {
    // The poster gives the frame the shape of the video.
    frame.style.aspectRatio = `${poster.naturalWidth} / ${poster.naturalHeight}`
    if (stage.dataset.state === 'ready') frame.prepend(poster)
  })
}

async function begin(): Promise<void> {
  play.hidden = true
  stage.dataset.state = 'loading'
  const opened = await ask<{ playerUrl: string }>('', 'POST')
  if (!opened) return
  const start = readTime(new URLSearchParams(location.search).get('t') ?? '')
  const player = Object.assign(document.createElement('iframe'), {
    src: `${opened.playerUrl}&transcript=1${start === undefined ? '' : `&t=${start}`}`,
    title: document.title,
    allow: 'autoplay; fullscreen; picture-in-picture; encrypted-media',
    allowFullscreen: true,
  })
  frame.append(player)
  addEventListener('message', ({ source, data }: MessageEvent<{ channel?: string; type?: string } | null>) => {
    // The player cannot know whether the link still opens the video: its own notice says to reload.
    if (source === player.contentWindow && data?.channel === CHANNEL && data.type === 'error') checkLink(player).catch(() => {})
  })
  player.focus()
  stage.dataset.state = 'playing'
}

/** Says why the link opens the video no more, in place of the player; leaves the player's notice while the link does. */
async function checkLink(player: HTMLIFrameElement): Promise<void> {
  // Without an answer, the player's notice stays.
  const answer = await fetch(`${location.pathname.replace(/\/$/, '')}/about`, { cache: 'no-store', referrerPolicy: 'no-referrer' })
  const { refused } = (await answer.json()) as { refused?: Refusal }
  if (answer.ok || !refused || !FINAL.includes(refused)) return
  player.remove()
  refuse(refused)
}

/** After these, a reload does not help. */
const FINAL: readonly Refusal[] = ['unknown', 'expired', 'revoked', 'used', 'unavailable']

play.addEventListener('click', () => void begin())
void show()
