import type { ProviderId } from '#server/modules/auth/schema'

/** How a step of signing in went: undefined when it worked, else words for the person. */
export type SignInProblem = string | undefined

const WRONG = 'This e-mail and password do not belong together. Check both.'
const WRONG_CODE = 'This code is not right, was used already, or you waited too long. Enter the next one, or start over.'
const UNREACHABLE = 'The server cannot be reached. Check your connection and try again.'

/** A form to next-auth, with its token. Answers where it would send the browser; undefined when there is no answer. */
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
 * Its answer's redirect address is ignored: the browser may have come by another host name than the configured one, and the cookie is
 * set for the one it came by.
 */
async function step(provider: string, fields: Record<string, string>, wrong: string): Promise<SignInProblem> {
  const answer = await post(`callback/${provider}`, fields)
  if (!answer) return UNREACHABLE
  const error = answer.url && new URL(answer.url, window.location.href).searchParams.get('error')
  if (answer.ok && !error) return undefined
  return !error || error === 'CredentialsSignin' ? wrong : error
}

/** The first step: e-mail and password. With a second factor, the session it makes opens nothing but the second step. */
export const signIn = (email: string, password: string): Promise<SignInProblem> => step('credentials', { email, password }, WRONG)

/** The second step: a code of the authenticator app, or a recovery code. */
export const giveCode = (code: string): Promise<SignInProblem> => step('second-step', { code }, WRONG_CODE)

/** Sends the browser to a provider, which sends it back to `from`. */
export async function goToProvider(provider: ProviderId, from: string): Promise<SignInProblem> {
  const answer = await post(`signin/${provider}`, { callbackUrl: from })
  if (!answer?.ok || !answer.url) return UNREACHABLE
  const { searchParams } = new URL(answer.url, window.location.href)
  if (searchParams.has('error') && searchParams.get('error')?.startsWith('OAuth')) return 'The provider does not answer. Try again later.'
  window.location.assign(answer.url)
}

/** Forgets a sign-in, also one that is halfway, and begins another; `from` is where it leads. */
export async function startOver(from?: string): Promise<void> {
  await post('signout', {})
  window.location.assign(from ? `/sign-in?from=${encodeURIComponent(from)}` : '/sign-in')
}

/** Where to go after signing in: only a path of this site. */
export function safePath(from: string | null | undefined): string {
  if (!from?.startsWith('/')) return '/'
  const url = new URL(from, 'http://here.invalid')
  // `/a/..//evil.example` is a path of ours whose dots, once resolved, leave another site's address.
  return url.host === 'here.invalid' ? url.pathname.replace(/^\/+/, '/') + url.search : '/'
}
