import { Select, Stack, TagsInput, TextInput } from '@mantine/core'
import { EXPIRIES, type LimitValues, rangesProblem } from './limits'

interface Props {
  values: LimitValues
  onChange: (values: LimitValues) => void
  /** The errors of the expiry and of the address list. */
  errors: { expiresAt?: string; allowedIps?: string }
}

/** Fields for a key's expiry and the addresses it may be used from. */
export function LimitFields({ values, onChange, errors }: Props) {
  const set = (changed: Partial<LimitValues>) => onChange({ ...values, ...changed })
  const byDay = values.expiry === 'day'
  return (
    <Stack gap="md">
      <Select
        label="Expires"
        data={EXPIRIES}
        value={values.expiry}
        onChange={(expiry) => expiry && set({ expiry })}
        allowDeselect={false}
        error={!byDay && errors.expiresAt}
      />
      {byDay && (
        <TextInput
          type="date"
          label="Last day"
          description="The key expires at the end of this day (UTC)."
          value={values.day}
          onChange={(event) => set({ day: event.currentTarget.value })}
          error={errors.expiresAt}
        />
      )}
      <TagsInput
        label="Allowed addresses"
        description="IPv4 or IPv6 addresses and networks, such as 203.0.113.7 or 10.0.0.0/8. Leave empty to allow any address."
        placeholder={values.allowedIps.length === 0 ? 'Any address' : undefined}
        value={values.allowedIps}
        onChange={(allowedIps) => set({ allowedIps })}
        error={errors.allowedIps ?? rangesProblem(values.allowedIps)}
        splitChars={[',', ' ', ';', '\n']}
        acceptValueOnBlur
      />
    </Stack>
  )
}
