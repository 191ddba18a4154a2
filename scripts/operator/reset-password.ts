import { makeResetLink } from '../../server/modules/identity/sign-in/password-reset.ts'
import type { Command } from './command.ts'

export const resetPassword: Command = {
  name: 'reset-password',
  takes: ['email'],
  description: 'Prints a single-use link, valid for one hour, that lets a user set a new password. Verify the user’s identity first.',
  async run({ args: { email = '' } }, print) {
    const { url, expiresAt } = await makeResetLink({ email })
    print(url)
    print(`The link works once, until ${expiresAt.toISOString().slice(0, 16).replace('T', ' ')} UTC. Send it only to ${email}.`)
    return 0
  },
}
