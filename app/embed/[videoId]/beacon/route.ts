import { asServiceError, ServiceError } from '#server/errors'
import { parseInput } from '#server/http/parse-input'
import { errorReply } from '#server/http/reply'
import { newRequestId } from '#server/http/request-id'
import { trafficCollector } from '#server/modules/analytics/requests/collector'
import { recordViewing } from '#server/modules/analytics/viewing/record-viewing'
import { viewingReport } from '#server/modules/analytics/viewing/viewing-schema'
import { clientInfo } from '#server/modules/identity/sign-in/client-ip'
import { log } from '#server/platform/observe/log'

/** A report is about 250 bytes: up to 3,000 more with the permit of a long policy, and 2,000 with the stretches that were played. */
const MAX_BYTES = 8_192

const CORS = { 'Access-Control-Allow-Origin': '*' }

/**
 * Accepts a player's report of a viewing (server/modules/analytics/viewing/viewing-schema.ts), as JSON under any content type:
 * `navigator.sendBeacon` sends text, which needs no preflight across origins. Returns 204; the permit in it is the credential.
 */
export async function POST(request: Request, { params }: { params: Promise<{ videoId: string }> }): Promise<Response> {
  const requestId = newRequestId()
  const startedAt = performance.now()
  const { videoId } = await params
  const { headers } = request
  const visitor = clientInfo(headers.get('x-forwarded-for'), { userAgent: headers.get('user-agent') ?? undefined })
  try {
    await recordViewing(visitor, { videoId, ...parseInput(viewingReport, await readJson(request), 'body') })
    return new Response(null, { status: 204, headers: { ...CORS, 'X-Request-Id': requestId } })
  } catch (thrown) {
    const error = asServiceError(thrown)
    if (error.code === 'INTERNAL_ERROR') log().error({ err: thrown, requestId }, 'unforeseen error of a viewing report')
    const reply = errorReply(error, requestId)
    const call = { method: 'POST', path: `/embed/${videoId}/beacon`, search: '', params: { videoId }, requestId, startedAt }
    trafficCollector().refused({ ...call, header: (name) => headers.get(name) ?? undefined, address: () => visitor.remote ?? '' }, reply)
    return new Response(reply.body as string, { status: reply.status, headers: { ...reply.headers, ...CORS, 'X-Request-Id': requestId } })
  }
}

/** For players that send JSON from another origin, which browsers preflight. */
export function OPTIONS(): Response {
  const asked = {
    'Access-Control-Allow-Methods': 'POST',
    'Access-Control-Allow-Headers': 'Content-Type',
    'Access-Control-Max-Age': '86400',
  }
  return new Response(null, { status: 204, headers: { ...CORS, ...asked } })
}

async function readJson(request: Request): Promise<unknown> {
  // Browsers always send a beacon's length.
  const length = request.headers.get('content-length')
  if (length === null || Number(length) > MAX_BYTES) throw new ServiceError('PAYLOAD_TOO_LARGE')
  try {
    return JSON.parse(await request.text())
  } catch {
    throw new ServiceError('INVALID_REQUEST', { details: [{ in: 'body', path: '', message: 'The body is not JSON.' }] })
  }
}
