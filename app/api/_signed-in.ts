import { type AccountCtx, refuseInOwnerView } from '#server/context'
import { asServiceError, ERRORS, type ErrorCode } from '#server/errors'
import { sessionFromCookies } from '#server/modules/identity/sessions/session'

/** Returns the context of the user who requests a file of their account, or the response that refuses the request. */
export async function signedIn(request: Request): Promise<AccountCtx | Response> {
  try {
    const ctx = await sessionFromCookies(request.headers.get('cookie') ?? undefined)
    refuseInOwnerView(ctx, 'Files cannot be exported while you view an account as its owner.')
    return ctx ?? sentence('UNAUTHENTICATED')
  } catch (error) {
    return refusal(error)
  }
}

/** Returns the response of an error that is intended for the caller. Throws any other. */
export function refusal(error: unknown): Response {
  const { code, message, extras } = asServiceError(error)
  if (code === 'INTERNAL_ERROR') throw error
  return sentence(code, message, extras.retryAfter)
}

/** Returns a refusal as one plain line. */
export const sentence = (code: ErrorCode, message: string = ERRORS[code].message, retryAfter?: number) =>
  new Response(message, {
    status: ERRORS[code].status,
    headers: { 'Content-Type': 'text/plain; charset=utf-8', ...(retryAfter !== undefined && { 'Retry-After': String(retryAfter) }) },
  })
