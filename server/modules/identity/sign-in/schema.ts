import { z } from 'zod'
import { text } from '../../../platform/text/schema.ts'
import { email } from '../accounts/schema.ts'
import { PASSWORD_MIN } from '../limits.ts'
import { acceptInput, inviteInput } from '../members/member-schema.ts'

/** Length is the only rule, because required symbols and capitals lead to weaker passwords (NIST SP 800-63B §3.1.1.2). */
export const newPassword = z
  .string('Choose a password.')
  .min(PASSWORD_MIN, `Use at least ${PASSWORD_MIN} characters.`)
  .max(200, 'Use at most 200 characters.')

export const signUpInput = z.object({ email, password: newPassword })
export type SignUpInput = z.output<typeof signUpInput>

/** The email is verified first; the user chooses the password with the emailed link. */
export const beginSignUpInput = z.object({ email })
export type BeginSignUpInput = z.output<typeof beginSignUpInput>

export const finishSignUpInput = z.object({
  token: z.string().regex(/^[0-9A-Za-z]{32}$/, 'This link is incomplete. Open it again from the email, or sign up again.'),
  password: newPassword,
})
export type FinishSignUpInput = z.output<typeof finishSignUpInput>

/** The rules for new passwords do not apply here: the input is compared with an existing password. */
export const signInInput = z.object({
  email,
  password: z.string('Enter your password.').min(1, 'Enter your password.').max(200, 'Use at most 200 characters.'),
})
export type SignInInput = z.output<typeof signInInput>

/** For an invited user who has no password yet. */
export const joinInput = acceptInput.extend({ password: newPassword })
export type JoinInput = z.output<typeof joinInput>

/** Limits only the length: the rules for new passwords do not apply to existing ones. */
const currentPassword = z.string('Enter your password.').max(200, 'Use at most 200 characters.')

/** A session ID as a browser returns it. Any other format matches no session. */
export const sessionIdInput = z.object({ sessionId: z.string().regex(/^ses_[0-9A-Za-z]{1,40}$/, 'This is not a valid session ID.') })
export type SessionIdInput = z.output<typeof sessionIdInput>

/** `current` is empty for a user without a password. */
export const changePasswordInput = z.object({ current: currentPassword, password: newPassword })
export type ChangePasswordInput = z.output<typeof changePasswordInput>

/** Empty for a user without a password. */
export const reauthenticateInput = z.object({ password: currentPassword })
export type ReauthenticateInput = z.output<typeof reauthenticateInput>

/** Six digits from an authenticator app. Apps display spaces, so users may type them. */
export const totpCode = z
  .string('Enter the code.')
  .transform((text) => text.replace(/\s/g, ''))
  .pipe(z.string().regex(/^\d{6}$/, 'Enter the six-digit code from your app.'))

export const totpCodeInput = z.object({ code: totpCode })
export type TotpCodeInput = z.output<typeof totpCodeInput>

/** Recovery codes are shown as `abcd-efgh-jkmn-pqrs` and parsed without separators, in an alphabet without ambiguous characters. */
export const RECOVERY_LETTERS = 'abcdefghjkmnpqrstvwxyz0123456789'
const recoveryCode = z
  .string()
  .transform((text) => text.toLowerCase().replace(/[\s-]/g, '').replaceAll('o', '0').replaceAll('i', '1').replaceAll('l', '1'))
  .pipe(z.string().regex(new RegExp(`^[${RECOVERY_LETTERS}]{16}$`)))

/** Either kind of code, distinguished by its format. */
export const secondFactorInput = z.object({
  code: z.union(
    [
      totpCode.transform((code) => ({ kind: 'totp' as const, code })),
      recoveryCode.transform((code) => ({ kind: 'recovery' as const, code })),
    ],
    'Enter a six-digit code from your app, or a recovery code.',
  ),
})
export type SecondFactor = z.output<typeof secondFactorInput>['code']

/** `code` proves the second factor of a member who has one. */
export const inviteMemberInput = inviteInput.extend({ code: secondFactorInput.shape.code.optional() })
export type InviteMemberInput = z.output<typeof inviteMemberInput>

export const turnOffTotpInput = z.object({ password: currentPassword, code: secondFactorInput.shape.code })
export type TurnOffTotpInput = z.output<typeof turnOffTotpInput>

export const requestResetInput = z.object({ email })
export type RequestResetInput = z.output<typeof requestResetInput>

export const resetTokenInput = z.object({
  token: z.string().regex(/^[0-9A-Za-z]{32}$/, 'This link is incomplete. Open it again from the email, or request a new one.'),
})
export type ResetTokenInput = z.output<typeof resetTokenInput>

export const resetPasswordInput = resetTokenInput.extend({
  password: newPassword,
  /** Whether to keep other sign-in methods from before the address was proven. Required only if there are any. */
  otherMethods: z.enum(['keep', 'remove']).optional(),
})
export type ResetPasswordInput = z.output<typeof resetPasswordInput>

export const PROVIDERS = ['github', 'google', 'oidc'] as const
export type ProviderId = (typeof PROVIDERS)[number]
export const providerInput = z.object({ provider: z.enum(PROVIDERS) })
export type ProviderInput = z.output<typeof providerInput>
export const linkProviderInput = providerInput.extend({ password: currentPassword })
export type LinkProviderInput = z.output<typeof linkProviderInput>

/** Reasons for refusing a provider's identity, as text for the sign-in page. */
export const PROVIDER_REFUSALS = {
  'connect-first':
    'A user with this email address already exists. Sign in the way you usually do, then connect the provider under Settings → Security.',
  'email-unverified':
    'The provider has not verified your email address. Verify it with the provider, or create an account with a password.',
  'sign-up-closed': 'No user exists for this login, and you cannot sign up this way. “Create an account” shows how you can.',
  suspended: 'Your login is suspended. Our email to you gives the reason and a contact.',
  'no-account': 'You are no longer a member of any account. Ask an account owner to invite you.',
} as const
export type ProviderRefusal = keyof typeof PROVIDER_REFUSALS

/** The account's name, typed in full, and the password, because the deletion cannot be undone. */
export const deleteAccountInput = z.object({ name: text().max(200), password: currentPassword })
