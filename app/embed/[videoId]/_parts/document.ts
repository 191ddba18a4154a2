import { escaped } from '../../../_parts/player/escaped.ts'
import { LANGUAGES } from '../../../_parts/player/languages.ts'
import { texts } from './texts/en.ts'
import type { Texts } from './texts/texts.ts'

/** The files that scripts/build-player.ts wrote; paths from the site's root. */
export interface Assets {
  script: string
  style: string
  /** Chunks that the script imports at once. */
  preload: string[]
}

interface Page {
  videoId: string
  /** The origin of `/v1`; empty for this origin. */
  api: string
  assets: Assets
  /** The nonce of the response's policy; the script sets it on the styles that it creates. */
  nonce: string
  /** Whether the player's requests carry measurements for a CDN's log. */
  cmcd: boolean
  /** Other origins that the first frame is loaded from. */
  origins: readonly string[]
}

/** Returns the player's HTML: the whole stage, inactive until the script starts. */
export function playerPage({ videoId, api, assets, nonce, cmcd, origins }: Page): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${LANGUAGES.en}</title>
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="dark">
<meta name="theme-color" content="#000000">
<link rel="icon" href="/icon.svg" type="image/svg+xml">
${origins.map((origin) => `<link rel="preconnect" href="${escaped(origin)}" crossorigin>`).join('\n')}
<link rel="stylesheet" href="${assets.style}" nonce="${nonce}">
${assets.preload.map((path) => `<link rel="modulepreload" href="${path}">`).join('\n')}
<script type="module" src="${assets.script}"></script>
</head>
<body>
<main id="stage" data-state="loading" data-video="${escaped(videoId)}" data-api="${escaped(api)}"${cmcd ? ' data-cmcd' : ''}>
${STAGE}
</main>
</body>
</html>
`
}

/** A text that the script replaces by the viewer's language. */
const label = (name: keyof Texts['labels']) => `data-text="${name}">${texts.labels[name]}`

const NO_SCRIPT = {
  en: 'This player requires JavaScript. Turn it on and reload the page.',
  de: 'Dieser Player benötigt JavaScript. Schalten Sie es ein und laden Sie die Seite neu.',
  es: 'Este reproductor necesita JavaScript. Actívalo y recarga la página.',
  fr: 'Ce lecteur nécessite JavaScript. Activez-le et rechargez la page.',
  ja: 'このプレーヤーには JavaScript が必要です。有効にして、ページを再読み込みしてください。',
} satisfies Record<keyof typeof LANGUAGES, string>

/** At the end it plays again, which Media Chrome has no icon for. */
const PLAY = `<media-play-button notooltip>
<svg slot="play" class="play" viewBox="0 0 24 24" aria-hidden="true"><path d="m6 21 15-9L6 3v18Z"/></svg>
<svg slot="play" class="replay" viewBox="0 0 24 24" aria-hidden="true"><path d="M12 5V1.5L7 6l5 4.5V7a5.5 5.5 0 1 1-5.5 5.5h-2A7.5 7.5 0 1 0 12 5Z"/></svg>
</media-play-button>`

const STAGE = `<media-controller id="player" aria-label="${LANGUAGES.en}" nosubtitleslang breakpoints="small:420 medium:640">
<video id="video" slot="media" playsinline preload="metadata" crossorigin="anonymous"></video>
<div id="title" slot="top-chrome" hidden></div>
<div slot="centered-chrome" class="centre">${PLAY}</div>
<media-settings-menu id="settings" hidden anchor="settings-button">
<span slot="header" hidden></span>
<media-settings-menu-item id="quality"><span ${label('quality')}</span><media-rendition-menu slot="submenu" hidden><div slot="title" ${label('quality')}</div></media-rendition-menu></media-settings-menu-item>
<media-settings-menu-item id="audio"><span ${label('audio')}</span><media-audio-track-menu slot="submenu" hidden><div slot="title" ${label('audio')}</div></media-audio-track-menu></media-settings-menu-item>
<media-settings-menu-item id="captions"><span ${label('captions')}</span><media-captions-menu slot="submenu" hidden><div slot="title" ${label('captions')}</div></media-captions-menu></media-settings-menu-item>
<media-settings-menu-item><span ${label('speed')}</span><media-playback-rate-menu slot="submenu" hidden rates="0.5 0.75 1 1.25 1.5 2"><div slot="title" ${label('speed')}</div></media-playback-rate-menu></media-settings-menu-item>
<media-settings-menu-item id="chapters" hidden><span ${label('chapters')}</span><media-chrome-menu id="chapter-list" slot="submenu" hidden><div slot="title" ${label('chapters')}</div></media-chrome-menu></media-settings-menu-item>
</media-settings-menu>
<div class="bar">
<div id="availability"></div>
<media-time-range></media-time-range>
<media-control-bar>
${PLAY}
<media-seek-backward-button seekoffset="10" notooltip></media-seek-backward-button>
<media-seek-forward-button seekoffset="10" notooltip></media-seek-forward-button>
<media-mute-button notooltip></media-mute-button>
<media-volume-range></media-volume-range>
<media-time-display showduration notoggle></media-time-display>
<span class="spring"></span>
<media-captions-button id="captions-button" notooltip></media-captions-button>
<media-settings-menu-button id="settings-button" notooltip><svg slot="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="M19.4 13a7.6 7.6 0 0 0 0-2l2.1-1.6a.5.5 0 0 0 .1-.6l-2-3.5a.5.5 0 0 0-.6-.2l-2.5 1a7.3 7.3 0 0 0-1.7-1l-.4-2.6a.5.5 0 0 0-.5-.5h-4a.5.5 0 0 0-.5.5l-.3 2.6a7.7 7.7 0 0 0-1.7 1l-2.5-1a.5.5 0 0 0-.6.2l-2 3.5a.5.5 0 0 0 .1.6L4.6 11a7.9 7.9 0 0 0 0 2l-2.1 1.6a.5.5 0 0 0-.1.6l2 3.5c.1.2.4.3.6.2l2.5-1a7.3 7.3 0 0 0 1.7 1l.4 2.6c0 .3.2.5.5.5h4c.2 0 .5-.2.5-.5l.3-2.6a7.7 7.7 0 0 0 1.7-1l2.5 1c.2.1.5 0 .6-.2l2-3.5a.5.5 0 0 0-.1-.6L19.4 13ZM12 15.5a3.5 3.5 0 1 1 0-7 3.5 3.5 0 0 1 0 7Z"/></svg></media-settings-menu-button>
<media-airplay-button notooltip></media-airplay-button>
<media-pip-button notooltip></media-pip-button>
<media-fullscreen-button notooltip></media-fullscreen-button>
</media-control-bar>
</div>
</media-controller>
<div id="spinner" role="status"><span class="spoken" ${label('loading')}</span></div>
<div id="news" role="status" class="heard"></div>
<button id="unmute" type="button" hidden ${label('unmute')}</button>
<section id="notice" hidden>
<img class="mark" src="/mark.svg" alt="">
<h1 id="notice-title">${texts.notices.offline.title}</h1>
<p id="notice-text">${texts.notices.offline.text}</p>
<button id="retry" type="button" hidden ${label('retry')}</button>
<p id="notice-code"></p>
</section>
<noscript><div class="noscript">${Object.entries(NO_SCRIPT)
  .map(([language, text]) => `<p lang="${language}">${text}</p>`)
  .join('')}</div></noscript>`
