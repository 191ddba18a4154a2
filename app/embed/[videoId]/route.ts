import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { frameAncestors, mediaOrigins } from '#server/modules/delivery/sessions/frame-ancestors'
import { env } from '#server/platform/config/config'
import { type Assets, playerPage } from './_parts/document.ts'

/**
 * Serves the embed player's page (specification §2.2 `playerUrl`). A route and not a page: React and Next's router would be more than half
 * of its JavaScript. It never reads the token, which the browser exchanges, so no log of the service holds it.
 */
export async function GET(_request: Request, { params }: { params: Promise<{ videoId: string }> }): Promise<Response> {
  const { videoId } = await params
  const { BASE_URL, SDK_URL, PLAYER_CMCD } = env()
  // Written by the build (scripts/build-player.ts): read on request and not bundled.
  const assets = JSON.parse(await readFile(join(process.cwd(), 'public/player/assets.json'), 'utf8')) as Assets
  // On a single origin a relative address is right under every host name.
  const api = new URL(BASE_URL).origin === new URL(SDK_URL).origin ? '' : BASE_URL
  const origins = mediaOrigins()
  const media = origins.join(' ')
  const others = origins.filter((origin) => origin !== new URL(SDK_URL).origin)
  const nonce = randomBytes(16).toString('base64')
  return new Response(playerPage({ videoId, api, assets, nonce, cmcd: PLAYER_CMCD === 'on', origins: others }), {
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-cache',
      // The address holds the token, which no other site may learn.
      'Referrer-Policy': 'no-referrer',
      // Nothing is inline except the styles in Media Chrome's shadow roots, which get the nonce; scripts are files of this origin alone.
      'Content-Security-Policy': [
        "default-src 'none'",
        "script-src 'self'",
        `style-src 'self' 'nonce-${nonce}'`,
        `img-src 'self' data: ${media}`,
        `media-src 'self' blob: ${media}`,
        `connect-src 'self' ${media}`,
        "base-uri 'none'",
        "form-action 'none'",
        `frame-ancestors ${await frameAncestors(videoId)}`,
      ].join('; '),
      'X-Content-Type-Options': 'nosniff',
      'X-Robots-Tag': 'noindex',
    },
  })
}
