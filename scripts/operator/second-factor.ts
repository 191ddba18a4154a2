import { resetTotp } from '../../server/modules/auth/totp-reset.ts'
import type { Command } from './commands.ts'

export const removeSecondFactor: Command = {
  name: 'remove-second-factor',
  takes: ['email'],
  description: 'Lets somebody who lost app and recovery codes sign in with the password alone. Make sure first that it is them.',
  async run({ args: { email = '' } }, say) {
    await resetTotp({ email })
    say(`${email} signs in without a second factor now, and is signed out everywhere.`)
    return 0
  },
}
