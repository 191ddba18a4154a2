/** How a sign-in went: undefined when it worked, else words for the person. */
export type SignInProblem = string | undefined

const WRONG = 'This e-mail and password do not belong together. Check both.'
const UNREACHABLE = 'The server cannot be reached. Check your connection and try again.'

/**
 * Signs in through next-auth. Its answer's redirect address is ignored: the browser may have come by another host name
 * than the configured one, and the cookie is set for the one it came by.
 */
export async function signIn(email: string, password: string): Promise<SignInProblem> {
  try {
    const { csrfToken } = (await (await fetch('/api/auth/csrf')).json()) as { csrfToken: string }
    const response = await fetch('/api/auth/callback/credentials', {
      method: 'POST',
      body: new URLSearchParams({ email, password, csrfToken, json: 'true' }),
    })
    const { url } = (await response.json()) as { url?: string }
    const error = url && new URL(url, window.location.href).searchParams.get('error')
    if (response.ok && !error) return undefined
    return !error || error === 'CredentialsSignin' ? WRONG : error
  } catch {
    return UNREACHABLE
  }
}

/** Where to go after signing in: only a path of this site. */
export function safePath(from: string | null | undefined): string {
  if (!from?.startsWith('/')) return '/'
  const url = new URL(from, 'http://here.invalid')
  // `/a/..//evil.example` is a path of ours whose dots, once resolved, leave another site's address.
  return url.host === 'here.invalid' ? url.pathname.replace(/^\/+/, '/') + url.search : '/'
}
