import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { env } from '#server/platform/config'
import { type Assets, referencePage } from './_parts/document.ts'

/**
 * Serves the API reference, rendered by Scalar from /v1/openapi.json. A route and not a page: Scalar includes its own framework and styles.
 * This origin serves its files, and the policy allows requests to this deployment alone.
 */
export async function GET(): Promise<Response> {
  // Written by the build (scripts/build-reference.ts): read on request and not bundled.
  const assets = JSON.parse(await readFile(join(process.cwd(), 'public/reference/assets.json'), 'utf8')) as Assets
  return new Response(referencePage(assets), {
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-cache',
      'Content-Security-Policy': [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self' 'unsafe-inline'",
        "font-src 'self'",
        "img-src 'self' data: blob:",
        `connect-src 'self' ${new URL(env().BASE_URL).origin}`,
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
      ].join('; '),
    },
  })
}
