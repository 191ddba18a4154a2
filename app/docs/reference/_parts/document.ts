/** The files that scripts/build-reference.ts wrote: addresses under /reference. */
export interface Assets {
  style: string
  scripts: string[]
}

/** Returns the API reference's page. No part of it derives from a request. */
export const referencePage = ({ style, scripts }: Assets): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>API reference · Reelgate</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${style}">
</head>
<body>
<header class="top">
<a href="/docs"><img src="/icon.svg" alt="" width="22" height="22"><b>Reelgate</b></a>
<a class="back" href="/docs">Guides</a>
</header>
<main id="reference"></main>
<noscript><p>This page requires JavaScript. The OpenAPI description is at <a href="/v1/openapi.json">/v1/openapi.json</a>.</p></noscript>
${scripts.map((src) => `<script src="${src}"></script>`).join('\n')}
</body>
</html>
`
