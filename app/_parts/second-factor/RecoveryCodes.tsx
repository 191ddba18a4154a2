'use client'

import { Button, Group, Stack } from '@mantine/core'
import { SecretPanel } from '../../_ui/form/SecretPanel'

/** Shows the recovery codes, the only time they are visible. */
export function RecoveryCodes({ codes, onDone }: { codes: string[]; onDone: () => void }) {
  return (
    <Stack gap="md">
      <SecretPanel
        title="Your recovery codes"
        value={codes.join('\n')}
        warning="Each code works once, without the authenticator app. Store them somewhere safe that does not depend on your phone. You won’t see them again."
        fileName="reelgate-recovery-codes.txt"
        copyLabel="Copy codes"
      />
      <Group justify="flex-end">
        <Button onClick={onDone}>I saved the codes</Button>
      </Group>
    </Stack>
  )
}
