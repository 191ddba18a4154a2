'use client'

import { Modal, Stack } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ListedKey } from '#server/modules/dashboard/list-keys'
import { useTRPC } from '../../../_trpc/client'
import { Conflict } from '../../../_ui/form/Conflict'
import { conflictOf } from '../../../_ui/form/conflict-of'
import { DialogActions } from '../../../_ui/form/DialogActions'
import { FormError } from '../../../_ui/form/FormError'
import { showAtFields } from '../../../_ui/form/form-errors'
import { useForm } from '../../../_ui/form/use-form'
import { LimitFields } from '../../_parts/keys/LimitFields'
import { expiryOf, type LimitValues, limitErrors, limitValues } from '../../_parts/keys/limits'

type Limits = Pick<ListedKey, 'expiresAt' | 'allowedIps'>

/** Changes a key's expiry and allowed addresses. Shows a concurrent change instead of overwriting it. */
export function LimitsDialog({ subject, opened, onClose }: { subject: ListedKey; opened: boolean; onClose: () => void }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const [expected, setExpected] = useState<Limits>(subject)
  const form = useForm<LimitValues>({
    initialValues: limitValues(subject),
    validate: (values) => limitErrors(values, expected.expiresAt),
    validateInputOnChange: ['allowedIps'],
  })
  const restrict = useMutation(
    trpc.key.restrict.mutationOptions({
      onSuccess() {
        void client.invalidateQueries(trpc.key.pathFilter())
        void client.invalidateQueries(trpc.account.overview.pathFilter())
        notifications.show({ message: 'Limits saved.', withBorder: true })
        onClose()
      },
      onError: showAtFields(form),
    }),
  )
  const conflict = limitsOf(restrict.error)
  const entered = ({ expiresAt, allowedIps }: LimitValues): Limits => ({ expiresAt: expiryOf(expiresAt, expected.expiresAt), allowedIps })
  const mine = entered(form.values)

  const save = ({ expiresAt, allowedIps }: Limits) =>
    form.onSubmit((values) => restrict.mutate({ keyId: subject.id, ...entered(values), expected: { expiresAt, allowedIps } }))
  const take = (limits: Limits) => {
    restrict.reset()
    setExpected(limits)
    form.setValues(limitValues(limits))
  }

  return (
    <Modal opened={opened} onClose={onClose} title={`Limits for “${subject.name}”`}>
      <form onSubmit={save(expected)} noValidate>
        <Stack gap="md">
          <FormError error={conflict ? null : restrict.error} form={form} />
          {conflict && (
            <Conflict
              fields={[
                { title: 'Expiry', mine: formatExpiry(mine.expiresAt), theirs: formatExpiry(conflict.expiresAt) },
                { title: 'Allowed addresses', mine: mine.allowedIps.join(', '), theirs: conflict.allowedIps.join(', ') },
              ]}
              busy={restrict.isPending}
              onTakeTheirs={() => take(conflict)}
              onKeepMine={save(conflict)}
            />
          )}
          <LimitFields form={form} />
          <DialogActions onCancel={onClose} loading={restrict.isPending}>
            Save
          </DialogActions>
        </Stack>
      </form>
    </Modal>
  )
}

/** Returns the current limits from the refusal of a conflicting change. */
function limitsOf(error: Parameters<typeof conflictOf>[0]): Limits | undefined {
  const conflict = conflictOf<{ expiresAt?: string | null; allowedIps?: string[] }>(error)
  return conflict?.allowedIps && { expiresAt: conflict.expiresAt ? new Date(conflict.expiresAt) : null, allowedIps: conflict.allowedIps }
}

const formatExpiry = (date: Date | null) => (date && !Number.isNaN(date.getTime()) ? `${date.toISOString().slice(0, 10)} (UTC)` : 'never')
