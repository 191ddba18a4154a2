import { z } from 'zod'

/** Stored and compared lower-cased. 254 is the longest address SMTP can carry (RFC 5321 §4.5.3.1.3). */
export const email = z
  .string('Enter your e-mail address.')
  .trim()
  .toLowerCase()
  .min(1, 'Enter your e-mail address.')
  .max(254, 'An e-mail address has at most 254 characters.')
  .pipe(z.email('Enter a whole e-mail address, like ada@example.com.'))

export const PASSWORD_MIN = 10

/** Length is the only rule: forced symbols and capitals make worse passwords (NIST SP 800-63B §3.1.1.2). */
export const newPassword = z
  .string('Choose a password.')
  .min(PASSWORD_MIN, `Use at least ${PASSWORD_MIN} characters.`)
  .max(200, 'Use at most 200 characters.')

export const signUpInput = z.object({ email, password: newPassword })
export type SignUpInput = z.output<typeof signUpInput>

/** The password's own rules are not repeated here: they say how it is chosen, not whether it is right. */
export const signInInput = z.object({
  email,
  password: z.string('Enter your password.').min(1, 'Enter your password.').max(200, 'This password is too long to be right.'),
})
export type SignInInput = z.output<typeof signInInput>
