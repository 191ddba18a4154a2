import { SetUpTotp } from '../../../_parts/second-factor/SetUpTotp'
import { SecretDialog } from '../../../_ui/form/SecretDialog'
import { RenewCodes } from './RenewCodes'
import { TurnOffTotp } from './TurnOffTotp'

const TITLES = { 'set-up': 'Set up two-factor sign-in', renew: 'Generate new recovery codes', 'turn-off': 'Turn off two-factor sign-in?' }
export type TwoFactorTask = keyof typeof TITLES

interface Props {
  task: TwoFactorTask
  hasPassword: boolean
  opened: boolean
  onClose: () => void
}

/** Sets up two-factor sign-in, generates new recovery codes, or turns it off. */
export function TwoFactorDialog({ task, hasPassword, opened, onClose }: Props) {
  return (
    <SecretDialog opened={opened} onClose={onClose} title={TITLES[task]} closeOnClickOutside={false}>
      {task === 'set-up' && <SetUpTotp hasPassword={hasPassword} onClose={onClose} />}
      {task === 'renew' && <RenewCodes onClose={onClose} />}
      {task === 'turn-off' && <TurnOffTotp hasPassword={hasPassword} onClose={onClose} />}
    </SecretDialog>
  )
}
