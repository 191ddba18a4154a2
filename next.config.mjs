import { existsSync, readFileSync } from 'node:fs'
import createMDX from '@next/mdx'
import { PHASE_DEVELOPMENT_SERVER, PHASE_PRODUCTION_BUILD } from 'next/constants.js'

/**
 * The default headers: no framing, no content sniffing, no referrer. The embed player and watch pages set their own; proxy.ts gives pages a stricter
 * one.
 */
const POLICY = { key: 'Content-Security-Policy', value: "frame-ancestors 'none'; base-uri 'self'; form-action 'self'; object-src 'none'" }
const PAGE_HEADERS = [
  { key: 'X-Frame-Options', value: 'DENY' },
  { key: 'X-Content-Type-Options', value: 'nosniff' },
  { key: 'Referrer-Policy', value: 'strict-origin-when-cross-origin' },
  { key: 'Permissions-Policy', value: 'camera=(), microphone=(), geolocation=()' },
  { key: 'Cross-Origin-Opener-Policy', value: 'same-origin' },
]

// As in server/platform/sdk-file.ts.
const SDK_FILE = `reelgate-sdk-${JSON.parse(readFileSync(new URL('sdk/package.json', import.meta.url), 'utf8')).version}.tgz`

/** @type {import('next').NextConfig} */
const config = {
  // The guides are written in Markdown (app/docs).
  pageExtensions: ['tsx', 'ts', 'mdx'],
  poweredByHeader: false,
  devIndicators: false,
  // No page shows images through Next; its resizer would be work that any visitor can trigger.
  images: { unoptimized: true },
  // `npm test` checks types; a first start need not wait for that.
  typescript: { ignoreBuildErrors: true },
  // Writing the cache takes a third of a build, which only a folder that is built again earns.
  experimental: { turbopackFileSystemCacheForBuild: existsSync('.next/BUILD_ID') },
  // Uploaded files are not part of the build, wherever they are below the project.
  outputFileTracingExcludes: { '**': ['**/media/**', '.data/**', '.cache/**'] },
  // The API responds to such addresses itself, in its envelope.
  skipTrailingSlashRedirect: true,
  // These locate their own files, or must be the same instance as the server's.
  serverExternalPackages: [
    '@prisma/adapter-pg',
    'pg',
    'pg-boss',
    'pino',
    'piscina',
    'lru-cache',
    'next-auth',
    'nodemailer',
    '@zxcvbn-ts/language-common',
    '@aws-sdk/client-s3',
    '@aws-sdk/lib-storage',
    '@aws-sdk/s3-request-presigner',
  ],
  async redirects() {
    return [
      { source: '/changelog', destination: '/docs/changelog', permanent: false },
      { source: '/sdk.tgz', destination: `/${SDK_FILE}`, permanent: false },
    ]
  },
  async headers() {
    return [
      { source: '/((?!embed/|player/|watch/).*)', headers: [...PAGE_HEADERS, POLICY] },
      {
        // Other sites' pages name this file, so its name is stable and its content may change.
        source: '/player/reelgate-player.js',
        headers: [
          { key: 'Cache-Control', value: 'public, max-age=3600' },
          { key: 'Access-Control-Allow-Origin', value: '*' },
          { key: 'X-Content-Type-Options', value: 'nosniff' },
        ],
      },
      {
        source: '/:file(reelgate-sdk-.+\\.tgz)',
        headers: [{ key: 'Cache-Control', value: 'public, max-age=300' }],
      },
      {
        // The embed player's files have a hash in their names.
        source: '/player/:file(.+-[\\w-]{8}\\.(?:js|css|woff2))',
        headers: [{ key: 'Cache-Control', value: 'public, max-age=31536000, immutable' }],
      },
    ]
  },
}

/** @param {string} phase */
export default async function configure(phase) {
  if (phase === PHASE_PRODUCTION_BUILD || phase === PHASE_DEVELOPMENT_SERVER) {
    const { buildPlayer } = await import('./scripts/build-player.ts')
    await buildPlayer()
    const { buildSdk } = await import('./scripts/build-sdk.ts')
    await buildSdk()
  }
  return createMDX()(config)
}
