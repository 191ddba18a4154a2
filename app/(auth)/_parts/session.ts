import type { ProviderId } from '#server/modules/identity/sign-in/schema'

/** The result of a sign-in step: undefined on success, otherwise a message for the user. */
export type SignInProblem = string | undefined

const WRONG = 'Incorrect email or password.'
const WRONG_CODE = 'Incorrect, used or expired code. Enter a new code, or start over.'
const UNREACHABLE = 'Could not reach the server. Check your connection and try again.'

/** Posts a form to next-auth with its CSRF token. Returns the address of its redirect; undefined when there is no response. */
async function post(path: string, fields: Record<string, string>): Promise<{ ok: boolean; url: string | undefined } | undefined> {
  try {
    const { csrfToken } = (await (await fetch('/api/auth/csrf')).json()) as { csrfToken: string }
    const body = new URLSearchParams({ ...fields, csrfToken, json: 'true' })
    const response = await fetch(`/api/auth/${path}`, { method: 'POST', body })
    const { url } = (await response.json()) as { url?: string }
    return { ok: response.ok, url }
  } catch {
    return undefined
  }
}

/**
 * Runs a sign-in step. Ignores next-auth's redirect address: the browser may use another host name than the configured one, and the cookie
 * is set for the host it uses.
 */
async function step(provider: string, fields: Record<string, string>, wrong: string): Promise<SignInProblem> {
  const answer = await post(`callback/${provider}`, fields)
  if (!answer) return UNREACHABLE
  const error = answer.url && new URL(answer.url, window.location.href).searchParams.get('error')
  if (answer.ok && !error) return undefined
  return !error || error === 'CredentialsSignin' ? wrong : error
}

/** Runs the first step: e-mail and password. With a second factor, the session it creates gives access to the second step alone. */
export const signIn = (email: string, password: string): Promise<SignInProblem> => step('credentials', { email, password }, WRONG)

/** Runs the second step: a code of the authenticator app, or a recovery code. */
export const giveCode = (code: string): Promise<SignInProblem> => step('second-step', { code }, WRONG_CODE)

/** Sends the browser to a provider, which redirects it back to `from`. */
export async function goToProvider(provider: ProviderId, from: string): Promise<SignInProblem> {
  const answer = await post(`signin/${provider}`, { callbackUrl: from })
  if (!answer?.ok || !answer.url) return UNREACHABLE
  const { searchParams } = new URL(answer.url, window.location.href)
  if (searchParams.has('error') && searchParams.get('error')?.startsWith('OAuth'))
    return 'The sign-in provider is not responding. Try again later.'
  window.location.assign(answer.url)
}

/** Discards a sign-in, complete or not, and starts another; `from` is its destination. */
export async function restartSignIn(from?: string): Promise<void> {
  await post('signout', {})
  window.location.assign(from ? `/sign-in?from=${encodeURIComponent(from)}` : '/sign-in')
}

/** Returns the destination after a sign-in: only a path of this site. */
export function safePath(from: string | null | undefined): string {
  if (!from?.startsWith('/')) return '/'
  const url = new URL(from, 'http://here.invalid')
  // `/a/..//evil.example` is a path of this site whose resolved form is another site's address.
  return url.host === 'here.invalid' ? url.pathname.replace(/^\/+/, '/') + url.search : '/'
}
