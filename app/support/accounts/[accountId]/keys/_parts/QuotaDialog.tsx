'use client'

import { NumberInput } from '@mantine/core'
import type { SupportKey } from '#server/modules/backoffice/support/account-pages'
import { setQuotaInput } from '#server/modules/backoffice/support/schema'
import { useTRPC } from '../../../../../_trpc/client'
import { formatCount } from '../../../../../_ui/format'
import { useStaffChange } from '../../../../_parts/use-staff-change'
import { ValueDialog } from '../../../../_parts/ValueDialog'

interface Props {
  accountId: string
  subject: SupportKey
  opened: boolean
  onClose: () => void
}

/** Sets a key's daily quota for a stated reason; it applies from the next token. */
export function QuotaDialog({ accountId, subject, ...dialog }: Props) {
  const { id: keyId, name, dailyQuota, ownQuota } = subject
  const trpc = useTRPC()
  const change = useStaffChange(trpc.support.setQuota.mutationOptions())
  return (
    <ValueDialog
      title={`Daily quota of “${name}”`}
      about={`Current quota: ${formatCount(dailyQuota)} playback tokens per UTC day (${ownQuota === null ? 'tier default' : 'set by support'}).`}
      label="Tokens per day"
      name="dailyQuota"
      schema={setQuotaInput.shape.dailyQuota.unwrap()}
      seen={ownQuota}
      initial={dailyQuota}
      fieldOf={(value) => value ?? ''}
      valueOf={(entered) => (entered === '' ? Number.NaN : Number(entered))}
      format={(value) => (value === null ? 'Tier default' : formatCount(value))}
      field={(props) => <NumberInput label="Tokens per day" min={1} allowDecimal={false} thousandSeparator="," data-autofocus {...props} />}
      confirm="Set quota"
      reset={ownQuota !== null && 'Reset to tier default'}
      change={change}
      inputOf={({ value, ...rest }) => ({ accountId, keyId, dailyQuota: value, ...rest })}
      done={() => `Daily quota of “${name}” updated.`}
      {...dialog}
    />
  )
}
