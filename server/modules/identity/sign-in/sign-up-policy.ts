import { ServiceError } from '../../../errors.ts'
import { env } from '../../../platform/config/config.ts'
import { isMailConfigured } from '../../../platform/mail.ts'

/** How a new user can sign up: the form with a password, an emailed link, an invitation, or a provider by its ID. */
export type SignUpMethod = 'password' | 'mail' | 'invitation' | 'github' | 'google' | 'oidc'

/**
 * Returns why `SIGN_UP` does not let a new user sign up with this method, as text for them. Undefined if it does. Checks `email` if domains
 * are listed; without it, the result applies to the method in general. Not used for existing users.
 */
export function signUpRefusal(method: SignUpMethod, email?: string): string | undefined {
  const { SIGN_UP, SIGN_UP_DOMAINS, OIDC_NAME } = env()
  switch (SIGN_UP) {
    case 'open':
      return undefined
    case 'off':
      return 'Sign-up is off on this installation.'
    case 'invitation':
      return method === 'invitation' ? undefined : 'Sign-up requires an invitation. Ask an account owner to invite you.'
    case 'sso':
      return method === 'oidc' ? undefined : `Sign up with ${OIDC_NAME}.`
    case 'domains': {
      if (method === 'invitation') return undefined
      if (method === 'password')
        return 'Sign-up requires a confirmed email address, and this installation cannot send email. Contact its operator.'
      const domain = email?.slice(email.lastIndexOf('@') + 1)
      return domain === undefined || SIGN_UP_DOMAINS.includes(domain)
        ? undefined
        : `Sign up with an email address at ${oneOf(SIGN_UP_DOMAINS)}.`
    }
  }
}

/** Called at the start of every sign-up, and again at its end if it involves an emailed link. Errors: FORBIDDEN. */
export function requireSignUpAllowed(method: SignUpMethod, email?: string): void {
  const message = signUpRefusal(method, email)
  if (message) throw new ServiceError('FORBIDDEN', { message })
}

/** Returns which form the sign-up page shows, and a text on who may sign up. */
export function signUpOffer(): { form: 'password' | 'mail' | undefined; says: string | undefined } {
  const form = isMailConfigured() ? 'mail' : 'password'
  const refusal = signUpRefusal(form)
  if (refusal) return { form: undefined, says: refusal }
  const { SIGN_UP, SIGN_UP_DOMAINS } = env()
  return { form, says: SIGN_UP === 'domains' ? `Use an email address at ${oneOf(SIGN_UP_DOMAINS)}.` : undefined }
}

/** Returns a warning for the operator at start if the combined settings admit fewer users than intended. */
export function signUpWarning(): string | undefined {
  const { SIGN_UP } = env()
  if (SIGN_UP !== 'domains' || isMailConfigured()) return undefined
  return 'SIGN_UP names domains, without SMTP_URL: addresses cannot be confirmed, so users can sign up only through a provider or an invitation'
}

const oneOf = (names: readonly string[]) => new Intl.ListFormat('en', { type: 'disjunction' }).format(names)
