import { forgetUnsaved } from './videos/unsaved-captions'

/** Ends the session and leaves with a full page load, so that no account data stays in memory or in the browser. */
export async function signOut(): Promise<void> {
  const { csrfToken } = (await (await fetch('/api/auth/csrf')).json()) as { csrfToken: string }
  await fetch('/api/auth/signout', { method: 'POST', body: new URLSearchParams({ csrfToken, json: 'true' }) })
  forgetUnsaved()
  window.location.assign('/sign-in')
}
