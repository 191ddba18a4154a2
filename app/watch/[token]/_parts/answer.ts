import { asServiceError, ERRORS } from '#server/errors'
import { newRequestId } from '#server/http/request-id'
import type { ShareRefusal } from '#server/modules/delivery/sharing/open-link'
import { type ClientInfo, clientInfo } from '#server/modules/identity/sign-in/client-ip'
import { log } from '#server/platform/observe/log'

const STATUS: Record<ShareRefusal, number> = { unknown: 404, expired: 410, revoked: 410, used: 410, unavailable: 404, processing: 409 }

/** Returns the response of a request of a watch page: what `work` finds as JSON, or why there is nothing. */
export async function answer(
  request: Request,
  work: (client: ClientInfo) => Promise<object | { refused: ShareRefusal }>,
): Promise<Response> {
  const headers = { 'Cache-Control': 'no-store', 'X-Robots-Tag': 'noindex, nofollow', 'X-Content-Type-Options': 'nosniff' }
  try {
    const found = await work(clientInfo(request.headers.get('x-forwarded-for')))
    const status = 'refused' in found ? STATUS[found.refused as ShareRefusal] : 200
    return Response.json(found, { status, headers })
  } catch (thrown) {
    const { code, extras } = asServiceError(thrown)
    if (code === 'INTERNAL_ERROR') log().error({ err: thrown, requestId: newRequestId() }, 'unforeseen error of a watch page')
    const again: Record<string, string> = extras.retryAfter ? { 'Retry-After': String(extras.retryAfter) } : {}
    return Response.json(
      { refused: code === 'TOO_MANY_ATTEMPTS' ? 'busy' : 'trouble' },
      { status: ERRORS[code].status, headers: { ...headers, ...again } },
    )
  }
}
