import { escaped } from '../../../_parts/player/escaped.ts'

interface Page {
  assets: { script: string; style: string }
  /** What sites that show a preview of the link get; undefined unless the owner allows it. */
  card: { title: string; posterUrl: string | null } | undefined
  /** Address of this page. */
  url: string
}

/**
 * Returns the HTML of a watch page. It names neither the title nor the poster unless `card` does: the script loads both, and programs that
 * read the page for a preview of the link run no scripts.
 */
export function watchPage({ assets, card, url }: Page): string {
  const title = card ? escaped(card.title) : 'Shared video'
  const image = card?.posterUrl ? `\n<meta property="og:image" content="${escaped(card.posterUrl)}">` : ''
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="robots" content="noindex, nofollow">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="dark light">
<meta property="og:type" content="video.other">
<meta property="og:title" content="${title}">
<meta property="og:url" content="${escaped(url)}">${image}
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${assets.style}">
<script type="module" src="${assets.script}"></script>
</head>
<body>
<main id="watch" data-state="loading">
<div id="frame">
<button id="play" type="button" hidden aria-label="Play"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M8 5.5v13l11-6.5z"/></svg></button>
<div id="spinner" role="status"><span class="spoken">Loading</span></div>
<section id="notice" role="alert" hidden><img src="/mark.svg" alt="" width="40" height="40"><h1 id="notice-title"></h1><p id="notice-text"></p></section>
</div>
<header id="about" hidden><h1 id="title"></h1><p id="duration"></p></header>
<noscript><p class="noscript">This page requires JavaScript. Turn it on and reload the page.</p></noscript>
</main>
</body>
</html>
`
}
