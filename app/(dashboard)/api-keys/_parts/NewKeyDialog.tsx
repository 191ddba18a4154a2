'use client'

import { Button, Checkbox, Group, Modal, Radio, Stack, Text, TextInput } from '@mantine/core'
import { schemaResolver, useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { createKeyInput } from '#server/key/schema'
import { SCOPE_NAMES, SCOPES, type Scope } from '#server/scopes'
import { useTRPC } from '../../../_trpc/client'
import { fieldErrors } from '../../../_ui/form-errors'
import { Notice } from '../../../_ui/Notice'
import { KeyShownOnce } from './KeyShownOnce'

interface Values {
  name: string
  environment: 'LIVE' | 'TEST'
  scopes: Scope[]
}

const ENVIRONMENTS = {
  LIVE: { title: 'Live', says: 'For production. Tokens count towards your quota.' },
  TEST: { title: 'Test', says: 'For development and tests. Never billed, its own daily quota.' },
}

/** Makes a key and shows its value, once. */
export function NewKeyDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const create = useMutation(trpc.key.create.mutationOptions())
  const form = useForm<Values>({
    initialValues: { name: '', environment: 'LIVE', scopes: ['video:read'] },
    validate: schemaResolver(createKeyInput, { sync: true }),
  })
  const made = create.data

  const submit = form.onSubmit((values) =>
    create.mutate(values, {
      onSuccess: () =>
        void Promise.all([client.invalidateQueries(trpc.key.pathFilter()), client.invalidateQueries(trpc.account.overview.pathFilter())]),
      onError: (error) => form.setErrors(fieldErrors(error) ?? {}),
    }),
  )

  if (made) return <KeyShownOnce made={made} title={`Key “${made.name}” generated`} opened={opened} onClose={onClose} />

  return (
    <Modal opened={opened} onClose={onClose} title="Generate New Key">
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          {create.isError && !fieldErrors(create.error) && <Notice tone="bad">{create.error.message}</Notice>}
          <TextInput
            label="Name"
            description="What will use it, so that you know it again."
            data-autofocus
            {...form.getInputProps('name')}
          />
          <Radio.Group label="Environment" {...form.getInputProps('environment')}>
            <Stack gap="xs" mt={6}>
              {(['LIVE', 'TEST'] as const).map((value) => (
                <Radio key={value} value={value} label={ENVIRONMENTS[value].title} description={ENVIRONMENTS[value].says} />
              ))}
            </Stack>
          </Radio.Group>
          <Checkbox.Group label="Scopes" {...form.getInputProps('scopes')}>
            <Stack gap="xs" mt={6}>
              {SCOPE_NAMES.map((scope) => (
                <Checkbox
                  key={scope}
                  value={scope}
                  label={
                    <>
                      {SCOPES[scope].title}{' '}
                      <Text span ff="monospace" fz={11.5} c="dimmed">
                        {scope}
                      </Text>
                    </>
                  }
                  description={`${SCOPES[scope].opens}.`}
                />
              ))}
            </Stack>
          </Checkbox.Group>
          <Group justify="flex-end" gap="xs" mt="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={create.isPending}>
              Generate key
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
