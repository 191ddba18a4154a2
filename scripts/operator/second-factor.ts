import { resetTotp } from '../../server/modules/identity/sign-in/totp-setup.ts'
import type { Command } from './command.ts'

export const removeSecondFactor: Command = {
  name: 'remove-second-factor',
  takes: ['email'],
  description:
    'Disables two-factor sign-in for a user who lost the authenticator app and the recovery codes. Verify the user’s identity first.',
  async run({ args: { email = '' } }, print) {
    await resetTotp({ email })
    print(`Two-factor sign-in is disabled for ${email}, who has been signed out of all devices.`)
    return 0
  },
}
