import { type AccountCtx, refuseInOwnerView } from '#server/context'
import { asServiceError, ERRORS, type ErrorCode, isServiceError } from '#server/errors'
import { sessionFromCookies } from '#server/modules/auth/session'

/** Returns the context of the user who requests a file of their account, or the response that refuses the request. */
export async function signedIn(request: Request): Promise<AccountCtx | Response> {
  try {
    const ctx = await sessionFromCookies(request.headers.get('cookie') ?? undefined)
    refuseInOwnerView(ctx, 'Files cannot be exported while you view an account as its owner.')
    return ctx ?? sentence('UNAUTHENTICATED')
  } catch (error) {
    if (!isServiceError(error)) throw error
    const { code, message } = asServiceError(error)
    return sentence(code, message)
  }
}

/** Returns a refusal as one plain line. */
export const sentence = (code: ErrorCode, message: string = ERRORS[code].message) =>
  new Response(message, { status: ERRORS[code].status, headers: { 'Content-Type': 'text/plain; charset=utf-8' } })
