import type { RouteKind } from 'next/dist/server/route-kind.js'
import { AppRouteRouteModule } from 'next/dist/server/route-modules/app-route/module.js'
import { NextRequest } from 'next/server.js'
import type { Handler } from './dashboard-host.ts'

type RouteHandler = (request: NextRequest, context: { params: Promise<{ nextauth: string[] }> }) => Promise<Response>

const FOLDER = '/api/auth/[...nextauth]'
const inContext = (handler: RouteHandler) => (request: NextRequest) =>
  handler(request, { params: Promise.resolve({ nextauth: request.nextUrl.pathname.split('/').slice(3) }) })

/**
 * Returns a web handler that runs the exports of next-auth's route in Next's request scope (`next/headers`), as Next's server does. Uses a
 * class of Next's server, because Next publishes no test host for route handlers.
 */
export function authRoute({ GET, POST }: { GET: RouteHandler; POST: RouteHandler }): Handler {
  const module = new AppRouteRouteModule({
    userland: () => ({ GET: inContext(GET), POST: inContext(POST), generateStaticParams: undefined }),
    definition: {
      kind: 'APP_ROUTE' as RouteKind.APP_ROUTE,
      page: `${FOLDER}/route`,
      pathname: FOLDER,
      filename: 'route',
      bundlePath: '',
    },
    distDir: '.next',
    relativeProjectDir: '',
    resolvedPagePath: `app${FOLDER}/route.ts`,
    nextConfigOutput: undefined,
  })
  return (request) =>
    module.handle(new NextRequest(request), {
      params: undefined,
      previewProps: { previewModeId: '', previewModeEncryptionKey: '', previewModeSigningKey: '' },
      sharedContext: { buildId: '', deploymentId: '' },
      renderOpts: {
        cacheLifeProfiles: { default: { stale: 0, revalidate: 0, expire: 0 } },
        staticPageGenerationTimeout: 60,
        cacheComponents: false,
        validationLevel: 'warning',
        experimental: { authInterrupts: false, useCacheTimeout: 0, durableUseCacheEntries: false },
        onClose: () => {},
        onAfterTaskError: undefined,
        waitUntil: undefined,
      },
    })
}
