'use client'

import { Button, Group, Stack } from '@mantine/core'
import { SecretPanel } from '../../_ui/SecretPanel'

/** Shows the recovery codes, the only time they are visible. */
export function RecoveryCodes({ codes, onDone }: { codes: string[]; onDone: () => void }) {
  return (
    <Stack gap="md">
      <SecretPanel
        title="Your recovery codes"
        value={codes.join('\n')}
        warning="Each lets you in once without the app. Keep them where you would find them if you lost your phone; they will not be shown again."
        fileName="reelgate-recovery-codes.txt"
        copyLabel="Copy the codes"
      />
      <Group justify="flex-end">
        <Button onClick={onDone}>I have stored them</Button>
      </Group>
    </Stack>
  )
}
