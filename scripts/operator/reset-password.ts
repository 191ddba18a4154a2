import { makeResetLink } from '../../server/modules/auth/password-reset-link.ts'
import type { Command } from './commands.ts'

export const resetPassword: Command = {
  name: 'reset-password',
  takes: ['email'],
  description: 'Prints a link with which a person chooses a new password, once and within the hour. Make sure first that it is them.',
  async run({ args: { email = '' } }, say) {
    const { url, expiresAt } = await makeResetLink({ email })
    say(url)
    say(`It works once, until ${expiresAt.toISOString().slice(0, 16).replace('T', ' ')} UTC. Hand it to ${email} and to no other person.`)
    return 0
  },
}
