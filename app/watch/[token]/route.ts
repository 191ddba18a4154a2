import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findShared, openShareLink } from '#server/modules/delivery/sharing/open-link'
import { clientInfo } from '#server/modules/identity/sign-in/client-ip'
import { env } from '#server/platform/config/config'
import { answer } from './_parts/answer.ts'
import { watchPage } from './_parts/document.ts'

interface Context {
  params: Promise<{ token: string }>
}

/**
 * Serves the watch page of a share link: a route and not a page, like the embed player, which it shows. It is the same for every link,
 * unless the owner of a link lets it unfurl.
 */
export async function GET(request: Request, { params }: Context): Promise<Response> {
  const { token } = await params
  const { BASE_URL, CDN_URL, SDK_URL } = env()
  const { watch: assets } = JSON.parse(await readFile(join(process.cwd(), 'public/player/assets.json'), 'utf8')) as {
    watch: { script: string; style: string }
  }
  // Over the limit the page itself says so, as its script asks again.
  const shared = await findShared(clientInfo(request.headers.get('x-forwarded-for')), token).catch(() => undefined)
  const card = shared && 'unfurls' in shared && shared.unfurls ? shared : undefined
  const url = `${BASE_URL}/watch/${encodeURIComponent(token)}`
  return new Response(watchPage({ assets, card, url }), {
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      // The address is the credential.
      'Referrer-Policy': 'no-referrer',
      'Content-Security-Policy': [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "style-src-attr 'unsafe-inline'",
        `img-src 'self' ${new URL(CDN_URL).origin} ${new URL(env().PLAYLIST_URL).origin}`,
        "connect-src 'self'",
        `frame-src 'self' ${new URL(SDK_URL).origin}`,
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
      ].join('; '),
      'X-Content-Type-Options': 'nosniff',
      'X-Frame-Options': 'DENY',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
      'X-Robots-Tag': 'noindex, nofollow',
    },
  })
}

/** Begins a view. */
export async function POST(request: Request, { params }: Context): Promise<Response> {
  const { token } = await params
  return answer(request, (client) => openShareLink(client, token))
}
