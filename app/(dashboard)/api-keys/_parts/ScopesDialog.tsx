'use client'

import { Modal, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { setScopesInput } from '#server/modules/access/keys/schema'
import type { ListedKey } from '#server/modules/dashboard/list-keys'
import type { Scope } from '#server/scopes'
import { useTRPC } from '../../../_trpc/client'
import { Conflict } from '../../../_ui/form/Conflict'
import { conflictOf } from '../../../_ui/form/conflict-of'
import { DialogActions } from '../../../_ui/form/DialogActions'
import { FormError } from '../../../_ui/form/FormError'
import { showAtFields } from '../../../_ui/form/form-errors'
import { SecondFactorField, useCodeRequest } from '../../../_ui/form/SecondFactorField'
import { schemaErrors } from '../../../_ui/form/schema-errors'
import { useForm } from '../../../_ui/form/use-form'
import { ScopeChoice } from '../../_parts/keys/ScopeChoice'

const input = setScopesInput.pick({ scopes: true, code: true })

interface Values {
  scopes: Scope[]
  code: string
}

/** Changes the scopes of a key. Asks for a two-factor code once the server requires one: for a new scope, of a member who has one. */
export function ScopesDialog({ subject, opened, onClose }: { subject: ListedKey; opened: boolean; onClose: () => void }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const [expected, setExpected] = useState<Scope[]>(subject.scopes)
  const { needsCode, noteRefusal } = useCodeRequest()
  const given = ({ scopes, code }: Values) => ({ scopes, code: needsCode ? code : undefined })
  const form = useForm<Values>({
    initialValues: { scopes: subject.scopes, code: '' },
    validate: (values) => schemaErrors(input.safeParse(given(values))),
  })
  const showErrors = showAtFields(form)
  const change = useMutation(
    trpc.key.setScopes.mutationOptions({
      onSuccess() {
        void client.invalidateQueries(trpc.key.pathFilter())
        notifications.show({ message: 'Scopes saved.', withBorder: true })
        onClose()
      },
      onError(error) {
        noteRefusal(error)
        showErrors(error)
      },
    }),
  )
  const theirs = conflictOf<{ scopes: Scope[] }>(change.error)?.scopes
  const save = (seen: Scope[]) => form.onSubmit((values) => change.mutate({ keyId: subject.id, ...given(values), expected: seen }))
  const take = (scopes: Scope[]) => {
    change.reset()
    setExpected(scopes)
    form.setFieldValue('scopes', scopes)
  }

  return (
    <Modal opened={opened} onClose={onClose} title={`Scopes of “${subject.name}”`}>
      <form onSubmit={save(expected)} noValidate>
        <Stack gap="md">
          <FormError error={theirs ? null : change.error} form={form} />
          {theirs && (
            <Conflict
              fields={[{ title: 'Scopes', mine: form.values.scopes.join(', '), theirs: theirs.join(', ') }]}
              busy={change.isPending}
              onTakeTheirs={() => take(theirs)}
              onKeepMine={save(theirs)}
            />
          )}
          <Text size="sm">Changes take effect immediately. Requests that need a removed scope fail with 403.</Text>
          <ScopeChoice {...form.getInputProps('scopes')} />
          {needsCode && <SecondFactorField description="Required to add a scope." {...form.getInputProps('code')} />}
          <DialogActions onCancel={onClose} loading={change.isPending}>
            Save
          </DialogActions>
        </Stack>
      </form>
    </Modal>
  )
}
