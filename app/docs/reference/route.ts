import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { env } from '#server/platform/config'
import { type Assets, referencePage } from './_parts/document.ts'

/**
 * The API reference, drawn by Scalar from /v1/openapi.json. A route and not a page: Scalar brings its own framework and styles.
 * Its files are ours to serve, and the policy lets it speak to this deployment alone.
 */
export async function GET(): Promise<Response> {
  // Written by the build (scripts/build-reference.ts), so it is read when asked for and not bundled.
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
