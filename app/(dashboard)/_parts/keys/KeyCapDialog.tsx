'use client'

import { Modal, Stack, TextInput } from '@mantine/core'
import { schemaResolver } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { formatCredits } from '#server/modules/billing/price-schema'
import { keyCapInput } from '#server/modules/billing/schema'
import { useTRPC } from '../../../_trpc/client'
import { Conflict } from '../../../_ui/form/Conflict'
import { conflictOf } from '../../../_ui/form/conflict-of'
import { DialogActions } from '../../../_ui/form/DialogActions'
import { FormError } from '../../../_ui/form/FormError'
import { showAtFields } from '../../../_ui/form/form-errors'
import { useForm } from '../../../_ui/form/use-form'
import type { CappedKey } from '../amounts'

type Version = Pick<CappedKey, 'monthCap'>
const validate = schemaResolver(keyCapInput.pick({ monthCap: true }), { sync: true })
const fieldsOf = ({ monthCap }: Version) => ({ monthCap: monthCap ?? '' })
/** An empty field is no cap. */
const versionOf = ({ monthCap }: { monthCap: string }): Version => ({ monthCap: monthCap.trim() || null })
const formatCap = (credits: string | null) => (credits === null ? 'no cap' : formatCredits(credits))

/** Sets or removes the monthly spending cap of a key. */
export function KeyCapDialog({ subject: { id, name, monthCap }, onClose }: { subject: CappedKey; onClose: () => void }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const [expected, setExpected] = useState<Version>({ monthCap })
  const form = useForm({ initialValues: fieldsOf({ monthCap }), validate: (values) => validate(versionOf(values)) })
  const save = useMutation(
    trpc.billing.setKeyCap.mutationOptions({
      onSuccess: async () => {
        await client.invalidateQueries(trpc.billing.overview.pathFilter())
        onClose()
      },
      onError: showAtFields(form),
    }),
  )
  const theirs = conflictOf<Version>(save.error)
  const send = (expected: Version) => form.onSubmit((values) => save.mutate({ keyId: id, ...versionOf(values), expected }))
  return (
    <Modal opened onClose={onClose} title={`Spending cap for ${name}`}>
      <form onSubmit={send(expected)} noValidate>
        <Stack gap="md">
          <TextInput
            label="Credits per month"
            description="Includes what the key has spent this month. Once it reaches the cap, the key has the free quota until the month ends. Leave empty for no cap."
            placeholder="None"
            inputMode="decimal"
            data-autofocus
            {...form.getInputProps('monthCap')}
          />
          {theirs && (
            <Conflict
              fields={[{ title: 'Cap', mine: formatCap(versionOf(form.values).monthCap), theirs: formatCap(theirs.monthCap) }]}
              busy={save.isPending}
              onTakeTheirs={() => {
                save.reset()
                setExpected(theirs)
                form.setValues(fieldsOf(theirs))
              }}
              onKeepMine={send(theirs)}
            />
          )}
          <FormError error={theirs ? null : save.error} form={form} />
          <DialogActions onCancel={onClose} loading={save.isPending}>
            Save cap
          </DialogActions>
        </Stack>
      </form>
    </Modal>
  )
}
