'use client'

import { NumberInput } from '@mantine/core'
import { LIMITS } from '#server/limits'
import type { SupportLimit } from '#server/modules/backoffice/support/account-limits'
import { setLimitInput } from '#server/modules/backoffice/support/schema'
import { useTRPC } from '../../../../_trpc/client'
import { fromField, inUnit, isBytes, toField } from '../../../_parts/limit-units'
import { useStaffChange } from '../../../_parts/use-staff-change'
import { ValueDialog } from '../../../_parts/ValueDialog'

interface Props {
  accountId: string
  limit: SupportLimit
  opened: boolean
  onClose: () => void
}

/** Sets one limit of an account for a stated reason, or resets it to the installation's value. */
export function LimitDialog({ accountId, limit, ...dialog }: Props) {
  const { name, own } = limit
  const { title, description } = LIMITS[name]
  const trpc = useTRPC()
  const change = useStaffChange(trpc.support.setLimit.mutationOptions())
  const inWords = (value: number) => inUnit(name, value)
  return (
    <ValueDialog
      title={`Change limit: ${title}`}
      about={
        <>
          {description} Current limit: {inWords(limit.value)}
          {own ? `, set by support. Default: ${inWords(limit.default)}. Reason: ${own.reason}` : ' (default).'}
        </>
      }
      label="Limit"
      name="value"
      schema={setLimitInput.shape.value.unwrap()}
      seen={own?.value ?? null}
      initial={toField(name, limit.value)}
      fieldOf={(value) => toField(name, value ?? limit.default)}
      valueOf={(entered) => (entered === '' ? Number.NaN : fromField(name, Number(entered)))}
      format={(value) => (value === null ? `Default (${inWords(limit.default)})` : inWords(value))}
      field={(props) => (
        <NumberInput
          label={isBytes(name) ? 'Limit in GB' : 'Limit'}
          min={0}
          allowDecimal={isBytes(name)}
          decimalScale={isBytes(name) ? 9 : 0}
          thousandSeparator=","
          data-autofocus
          {...props}
        />
      )}
      confirm="Change limit"
      reset={own !== null && 'Reset to default'}
      change={change}
      inputOf={({ value, ...rest }) => ({ accountId, name, value, ...rest })}
      done={() => `Limit updated: ${title}.`}
      {...dialog}
    />
  )
}
