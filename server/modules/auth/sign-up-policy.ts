import { ServiceError } from '../../errors.ts'
import { env } from '../../platform/config.ts'
import { mailIsSet } from '../../platform/mail.ts'

/** How a person who is new here may come in: the form with a password, a mailed link, an invitation, or a provider by its id. */
export type WayIn = 'password' | 'mail' | 'invitation' | 'github' | 'google' | 'oidc'

/**
 * Why a new person does not get in this way under `SIGN_UP`, in words for them; undefined when they do. `email` is looked at where domains
 * are listed; without it the answer is about the way as such. People who have signed up before are never asked.
 */
export function signUpRefusal(way: WayIn, email?: string): string | undefined {
  const { SIGN_UP, SIGN_UP_DOMAINS, OIDC_NAME } = env()
  switch (SIGN_UP) {
    case 'open':
      return undefined
    case 'off':
      return 'This installation takes no new people.'
    case 'invitation':
      return way === 'invitation' ? undefined : 'New people join by invitation here. Ask a member of an account to invite you.'
    case 'sso':
      return way === 'oidc' ? undefined : `New people sign up with ${OIDC_NAME} here.`
    case 'domains': {
      if (way === 'invitation') return undefined
      if (way === 'password') return 'This installation cannot confirm e-mail addresses, and takes confirmed ones alone. Ask its operator.'
      const domain = email?.slice(email.lastIndexOf('@') + 1)
      return domain === undefined || SIGN_UP_DOMAINS.includes(domain) ? undefined : `Sign up with an address at ${oneOf(SIGN_UP_DOMAINS)}.`
    }
  }
}

/** Every way in of a new person begins with this, and ends with it where a link lies between. Errors: FORBIDDEN. */
export function requireSignUpAllowed(way: WayIn, email?: string): void {
  const message = signUpRefusal(way, email)
  if (message) throw new ServiceError('FORBIDDEN', { message })
}

/** What the sign-up page offers: which form, and words on who may come. */
export function signUpOffer(): { form: 'password' | 'mail' | undefined; says: string | undefined } {
  const form = mailIsSet() ? 'mail' : 'password'
  const refusal = signUpRefusal(form)
  if (refusal) return { form: undefined, says: refusal }
  const { SIGN_UP, SIGN_UP_DOMAINS } = env()
  return { form, says: SIGN_UP === 'domains' ? `With an address at ${oneOf(SIGN_UP_DOMAINS)}.` : undefined }
}

/** A line for the operator at start, when the settings together let in fewer people than they say. */
export function signUpWarning(): string | undefined {
  const { SIGN_UP } = env()
  if (SIGN_UP !== 'domains' || mailIsSet()) return undefined
  return 'SIGN_UP=domains without SMTP_URL: no address can be confirmed, so new people come by a provider or an invitation alone'
}

const oneOf = (names: readonly string[]) => new Intl.ListFormat('en', { type: 'disjunction' }).format(names)
