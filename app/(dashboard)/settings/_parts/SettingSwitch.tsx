'use client'

import { Stack, Switch } from '@mantine/core'
import { Notice } from '../../../_ui/Notice'

interface Props {
  label: string
  description: string
  checked: boolean
  mayChange: boolean
  change: { isPending: boolean; error: { message: string } | null }
  onChange: (checked: boolean) => void
}

/** A setting of the account that is on or off, and is stored when it is switched. */
export function SettingSwitch({ label, description, checked, mayChange, change, onChange }: Props) {
  return (
    <Stack gap="md">
      {!mayChange && <Notice tone="info">Only an owner can change this.</Notice>}
      {change.error && <Notice tone="bad">{change.error.message}</Notice>}
      <Switch
        label={label}
        description={description}
        checked={checked}
        disabled={!mayChange || change.isPending}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    </Stack>
  )
}
