'use client'

import { Modal, Radio, Stack, Textarea } from '@mantine/core'
import { schemaResolver } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { changeTierInput } from '#server/modules/backoffice/support/schema'
import { useTRPC } from '../../../../../_trpc/client'
import { Conflict } from '../../../../../_ui/form/Conflict'
import { conflictOf } from '../../../../../_ui/form/conflict-of'
import { DialogActions } from '../../../../../_ui/form/DialogActions'
import { FormError } from '../../../../../_ui/form/FormError'
import { showAtFields } from '../../../../../_ui/form/form-errors'
import { useForm } from '../../../../../_ui/form/use-form'
import { SENT_FOR_APPROVAL } from '../../../../_parts/describe-change'

type Tier = 'FREE' | 'PAID'
const TITLES: Record<Tier, string> = { FREE: 'Free', PAID: 'Paid' }
const formSchema = changeTierInput.pick({ tier: true, reason: true })

interface Props {
  accountId: string
  tier: Tier
  opened: boolean
  onClose: () => void
}

/** Changes an account's tier, for a stated reason. */
export function TierDialog({ accountId, tier, opened, onClose }: Props) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const change = useMutation(trpc.support.changeTier.mutationOptions())
  const [expected, setSeen] = useState(tier)
  const form = useForm({
    initialValues: { tier: (tier === 'FREE' ? 'PAID' : 'FREE') as Tier, reason: '' },
    validate: schemaResolver(formSchema, { sync: true }),
  })
  const save = (expected: Tier) =>
    form.onSubmit((values) =>
      change.mutate(
        { accountId, ...values, expected },
        {
          onSuccess: (waits) => {
            void client.invalidateQueries(trpc.support.pathFilter())
            const message = `Tier changed to ${values.tier === 'PAID' ? 'paid' : 'free'}. It applies from the next token.`
            notifications.show(waits ? SENT_FOR_APPROVAL : { message })
            onClose()
          },
          onError: showAtFields(form),
        },
      ),
    )
  const theirs = conflictOf<{ tier: Tier }>(change.error)?.tier
  return (
    <Modal opened={opened} onClose={onClose} title="Change tier">
      <form onSubmit={save(expected)} noValidate>
        <Stack gap="md">
          <FormError error={theirs ? null : change.error} form={form} />
          <Radio.Group label="Tier" {...form.getInputProps('tier')}>
            <Stack gap="xs" mt={6}>
              <Radio value="FREE" label="Free" description="1,000 tokens per key and UTC day. No charges." />
              <Radio value="PAID" label="Paid" description="Paid quota. 0.5 credits per 1,000 tokens, while the balance lasts." />
            </Stack>
          </Radio.Group>
          <Textarea label="Reason" description="Shown to the owner in the audit log." {...form.getInputProps('reason')} />
          {theirs && (
            <Conflict
              fields={[{ title: 'Tier', mine: TITLES[form.values.tier], theirs: TITLES[theirs] }]}
              busy={change.isPending}
              onTakeTheirs={() => {
                change.reset()
                setSeen(theirs)
                form.setFieldValue('tier', theirs)
              }}
              onKeepMine={save(theirs)}
            />
          )}
          <DialogActions onCancel={onClose} loading={change.isPending}>
            Change tier
          </DialogActions>
        </Stack>
      </form>
    </Modal>
  )
}
