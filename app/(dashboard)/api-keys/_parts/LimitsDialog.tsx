'use client'

import { Button, Group, Modal, Stack } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { restrictKeyInput } from '#server/modules/api-keys/schema'
import type { ListedKey } from '#server/modules/dashboard/list-keys'
import { useTRPC } from '../../../_trpc/client'
import { Conflict } from '../../../_ui/Conflict'
import { conflictOf } from '../../../_ui/conflict-of'
import { fieldErrors, schemaErrors } from '../../../_ui/form-errors'
import { Notice } from '../../../_ui/Notice'
import { LimitFields } from '../../_parts/keys/LimitFields'
import { expiryOf, expiryProblem, limitValues, rangesProblem } from '../../_parts/keys/limits'

type Limits = Pick<ListedKey, 'expiresAt' | 'allowedIps'>

/** Changes a key's expiry and allowed addresses. Shows a concurrent change instead of overwriting it. */
export function LimitsDialog({ subject, opened, onClose }: { subject: ListedKey; opened: boolean; onClose: () => void }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const [expected, setSeen] = useState<Limits>(subject)
  const [values, setValues] = useState(() => limitValues(subject))
  const [tried, setTried] = useState(false)
  const restrict = useMutation(trpc.key.restrict.mutationOptions())
  const problems = { expiresAt: expiryProblem(values) ?? undefined, allowedIps: rangesProblem(values.allowedIps) ?? undefined }
  const untouched = values.expiry === 'day' && values.day === expected.expiresAt?.toISOString().slice(0, 10)
  const [found, setFound] = useState<Record<string, string>>({})
  const refused = { ...found, ...(restrict.isError && fieldErrors(restrict.error)) }
  const conflict = limitsOf(restrict.error)
  const edited = { expiresAt: expiryOf(values, expected.expiresAt), allowedIps: values.allowedIps }

  const save = (known: Limits) =>
    restrict.mutate(
      { keyId: subject.id, ...edited, expected: { expiresAt: known.expiresAt, allowedIps: known.allowedIps } },
      {
        onSuccess() {
          void client.invalidateQueries(trpc.key.pathFilter())
          void client.invalidateQueries(trpc.account.overview.pathFilter())
          notifications.show({ message: 'Limits saved.', withBorder: true })
          onClose()
        },
      },
    )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if ((problems.expiresAt && !untouched) || problems.allowedIps) return
    const checked = restrictKeyInput.pick({ expiresAt: true, allowedIps: true }).safeParse(edited)
    setFound(schemaErrors(checked))
    if (!checked.success) return
    save(expected)
  }
  const take = (limits: Limits) => {
    setSeen(limits)
    setValues(limitValues(limits))
    restrict.reset()
  }

  return (
    <Modal opened={opened} onClose={onClose} title={`Limits for “${subject.name}”`}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          {conflict ? (
            <Conflict
              fields={[
                { title: 'Expiry', mine: formatExpiry(edited.expiresAt), theirs: formatExpiry(conflict.expiresAt) },
                { title: 'Allowed addresses', mine: values.allowedIps.join(', '), theirs: conflict.allowedIps.join(', ') },
              ]}
              busy={restrict.isPending}
              onTakeTheirs={() => take(conflict)}
              onKeepMine={() => save(conflict)}
            />
          ) : (
            restrict.isError && !fieldErrors(restrict.error) && <Notice tone="bad">{restrict.error.message}</Notice>
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

/** Returns the current limits from the refusal of a conflicting change. */
function limitsOf(error: Parameters<typeof conflictOf>[0]): Limits | undefined {
  const conflict = conflictOf<{ expiresAt?: string | null; allowedIps?: string[] }>(error)
  return conflict?.allowedIps && { expiresAt: conflict.expiresAt ? new Date(conflict.expiresAt) : null, allowedIps: conflict.allowedIps }
}

const formatExpiry = (date: Date | null) => (date && !Number.isNaN(date.getTime()) ? `${date.toISOString().slice(0, 10)} (UTC)` : 'never')
