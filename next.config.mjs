import { PHASE_DEVELOPMENT_SERVER, PHASE_PRODUCTION_BUILD } from 'next/constants.js'

/**
 * For everything of ours: nobody frames it, nothing is guessed, addresses are not passed on. The embed player sets its own; pages get a
 * stricter policy in place of this one from proxy.ts.
 */
const POLICY = { key: 'Content-Security-Policy', value: "frame-ancestors 'none'; base-uri 'self'; form-action 'self'; object-src 'none'" }
const PAGE_HEADERS = [
  { key: 'X-Frame-Options', value: 'DENY' },
  { key: 'X-Content-Type-Options', value: 'nosniff' },
  { key: 'Referrer-Policy', value: 'strict-origin-when-cross-origin' },
  { key: 'Permissions-Policy', value: 'camera=(), microphone=(), geolocation=()' },
  { key: 'Cross-Origin-Opener-Policy', value: 'same-origin' },
]

/** @type {import('next').NextConfig} */
const config = {
  poweredByHeader: false,
  devIndicators: false,
  // Nothing here shows pictures through Next; its resizer would be work that anybody may ask for.
  images: { unoptimized: true },
  // What serves; tests and tools are checked with everything else by `npm test`, and may not be installed here.
  typescript: { tsconfigPath: 'tsconfig.build.json' },
  // What was uploaded is none of the build's, wherever below the project it lies.
  outputFileTracingExcludes: { '**': ['**/media/**', '.data/**', '.cache/**'] },
  // The API answers such addresses itself, in its envelope.
  skipTrailingSlashRedirect: true,
  // These find their own files, or must be the same instance as the server's.
  serverExternalPackages: [
    '@prisma/adapter-pg',
    'pg',
    'pg-boss',
    'pino',
    'lru-cache',
    'next-auth',
    'nodemailer',
    '@zxcvbn-ts/language-common',
  ],
  async headers() {
    return [
      { source: '/((?!embed/|player/).*)', headers: PAGE_HEADERS },
      // The API reference brings its own policy, which this one would replace.
      { source: '/((?!embed/|player/|docs/reference).*)', headers: [POLICY] },
      {
        // Named by pages of others, so its name stays and what it holds may change.
        source: '/player/reelgate-player.js',
        headers: [
          { key: 'Cache-Control', value: 'public, max-age=3600' },
          { key: 'Access-Control-Allow-Origin', value: '*' },
          { key: 'X-Content-Type-Options', value: 'nosniff' },
        ],
      },
      {
        // The embed player's and the API reference's files carry a hash in their names.
        source: '/:folder(player|reference)/:file(.+-[\\w-]{8}\\.(?:js|css|woff2))',
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
    const { buildReference } = await import('./scripts/build-reference.ts')
    await buildReference()
  }
  return config
}
