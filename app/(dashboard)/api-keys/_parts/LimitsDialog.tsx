'use client'

import { Button, Group, Modal, Stack } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { ListedKey } from '#server/key/list'
import { useTRPC } from '../../../_trpc/client'
import { fieldErrors } from '../../../_ui/form-errors'
import { Notice } from '../../../_ui/Notice'
import { LimitFields } from '../../_parts/keys/LimitFields'
import { expiryOf, expiryProblem, limitValues, rangesProblem } from '../../_parts/keys/limits'

type Limits = Pick<ListedKey, 'expiresAt' | 'allowedIps'>

/** Changes until when a key works and from where. What somebody else changed meanwhile is shown, and not overwritten unseen. */
export function LimitsDialog({ subject, opened, onClose }: { subject: ListedKey; opened: boolean; onClose: () => void }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const [seen, setSeen] = useState<Limits>(subject)
  const [values, setValues] = useState(() => limitValues(subject))
  const [tried, setTried] = useState(false)
  const restrict = useMutation(trpc.key.restrict.mutationOptions())
  const problems = { expiresAt: expiryProblem(values) ?? undefined, allowedIps: rangesProblem(values.allowedIps) ?? undefined }
  const untouched = values.expiry === 'day' && values.day === seen.expiresAt?.toISOString().slice(0, 10)
  const refused = restrict.isError ? fieldErrors(restrict.error) : undefined
  const conflict = restrict.error?.data?.code === 'CONFLICT' ? conflictOf(restrict.error.data.details) : undefined

  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if ((problems.expiresAt && !untouched) || problems.allowedIps) return
    restrict.mutate(
      {
        keyId: subject.id,
        expiresAt: expiryOf(values, seen.expiresAt),
        allowedIps: values.allowedIps,
        seen: { expiresAt: seen.expiresAt, allowedIps: seen.allowedIps },
      },
      {
        onSuccess() {
          void client.invalidateQueries(trpc.key.pathFilter())
          void client.invalidateQueries(trpc.account.overview.pathFilter())
          notifications.show({ message: 'Saved. It holds from now on, everywhere.', withBorder: true })
          onClose()
        },
      },
    )
  }
  const take = (limits: Limits) => {
    setSeen(limits)
    setValues(limitValues(limits))
    restrict.reset()
  }

  return (
    <Modal opened={opened} onClose={onClose} title={`Limits of “${subject.name}”`}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          {restrict.isError && !refused && (
            <Notice tone="bad">
              {restrict.error.message}
              {conflict && (
                <Group gap="xs" mt="xs">
                  <Button size="compact-sm" variant="default" onClick={() => take(conflict)}>
                    Show them
                  </Button>
                  <Button size="compact-sm" variant="default" onClick={() => setSeen(conflict)}>
                    Keep mine, then save again
                  </Button>
                </Group>
              )}
            </Notice>
          )}
          <LimitFields
            values={values}
            onChange={setValues}
            errors={{ ...(tried && !untouched && { expiresAt: problems.expiresAt }), allowedIps: problems.allowedIps, ...refused }}
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={restrict.isPending}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

/** How the limits stand, as a refusal tells. */
function conflictOf(details: unknown): Limits | undefined {
  const told = details as { expiresAt?: string | null; allowedIps?: string[] } | undefined
  return told?.allowedIps && { expiresAt: told.expiresAt ? new Date(told.expiresAt) : null, allowedIps: told.allowedIps }
}
