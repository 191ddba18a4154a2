import { Select, Stack, TagsInput, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { EXPIRIES, type ExpiryChoice, type LimitValues } from './limits'

/** Fields for a key's expiry and the addresses it may be used from. */
export function LimitFields({ form }: { form: UseFormReturnType<LimitValues> }) {
  const { value, onChange, error } = form.getInputProps('expiresAt')
  const { expiry, day }: ExpiryChoice = value
  const byDay = expiry === 'day'
  return (
    <Stack gap="md">
      <Select
        label="Expires"
        data={EXPIRIES}
        value={expiry}
        onChange={(chosen) => chosen && onChange({ expiry: chosen, day })}
        allowDeselect={false}
        error={!byDay && error}
      />
      {byDay && (
        <TextInput
          type="date"
          label="Last day"
          description="The key expires at the end of this day (UTC)."
          value={day}
          onChange={(event) => onChange({ expiry, day: event.currentTarget.value })}
          error={error}
        />
      )}
      <TagsInput
        label="Allowed addresses"
        description="IPv4 or IPv6 addresses and networks, such as 203.0.113.7 or 10.0.0.0/8. Leave empty to allow any address."
        placeholder={form.values.allowedIps.length === 0 ? 'Any address' : undefined}
        splitChars={[',', ' ', ';', '\n']}
        acceptValueOnBlur
        {...form.getInputProps('allowedIps')}
      />
    </Stack>
  )
}
