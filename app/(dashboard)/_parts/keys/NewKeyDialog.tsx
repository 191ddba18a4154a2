'use client'

import { Button, Checkbox, Collapse, Group, Modal, Radio, Stack, Text, TextInput, UnstyledButton } from '@mantine/core'
import { schemaResolver, useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { IconChevronDown } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { CreatedKey } from '#server/modules/api-keys/mint'
import { createKeyInput } from '#server/modules/api-keys/schema'
import { SCOPE_NAMES, SCOPES, type Scope } from '#server/scopes'
import { useTRPC } from '../../../_trpc/client'
import { fieldErrors } from '../../../_ui/form-errors'
import { Notice } from '../../../_ui/Notice'
import { KeyShownOnce } from './KeyShownOnce'
import { LimitFields } from './LimitFields'
import { expiryOf, expiryProblem, type LimitValues, NO_LIMITS, rangesProblem } from './limits'
import classes from './NewKeyDialog.module.css'

interface Values {
  name: string
  environment: 'LIVE' | 'TEST'
  scopes: Scope[]
}

interface Props {
  baseUrl: string
  opened: boolean
  onClose: () => void
  /** Receives the key with its value as soon as it is created. */
  onMade?: (made: CreatedKey) => void
}

const ENVIRONMENTS = {
  LIVE: { title: 'Live', says: 'For production. Tokens count toward your quota.' },
  TEST: { title: 'Test', says: 'For development and testing. Never billed. Has a separate daily quota.' },
}

/** Creates a key and shows its value, once. */
export function NewKeyDialog({ baseUrl, opened, onClose, onMade }: Props) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const create = useMutation(trpc.key.create.mutationOptions())
  const form = useForm<Values>({
    initialValues: { name: '', environment: 'LIVE', scopes: ['video:read'] },
    validate: schemaResolver(createKeyInput, { sync: true }),
  })
  const [limits, setLimits] = useState(NO_LIMITS)
  const [tried, setTried] = useState(false)
  const [more, { toggle, open }] = useDisclosure(false)
  const made = create.data
  const refused = create.isError ? fieldErrors(create.error) : undefined
  const errors = { ...(tried ? problems(limits) : {}), ...refused }

  const submit = form.onSubmit((values) => {
    setTried(true)
    if (Object.keys(problems(limits)).length > 0) return open()
    create.mutate(
      { ...values, expiresAt: expiryOf(limits), allowedIps: limits.allowedIps },
      {
        onSuccess(key) {
          onMade?.(key)
          for (const path of [trpc.key.pathFilter(), trpc.account.overview.pathFilter(), trpc.account.firstSteps.pathFilter()])
            void client.invalidateQueries(path)
        },
        onError: (error) => form.setErrors(fieldErrors(error) ?? {}),
      },
    )
  })

  if (made) {
    return <KeyShownOnce made={made} title={`Key “${made.name}” generated`} baseUrl={baseUrl} opened={opened} onClose={onClose} />
  }

  return (
    <Modal opened={opened} onClose={onClose} title="Generate New Key">
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          {create.isError && !refused && <Notice tone="bad">{create.error.message}</Notice>}
          <TextInput
            label="Name"
            description="Name the service that uses this key, so that you can identify it later."
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
          <div>
            <UnstyledButton className={classes.more} onClick={toggle} aria-expanded={more} data-open={more || undefined}>
              <IconChevronDown size={15} />
              Expiry and allowed addresses
              <span className={classes.optional}>{summary(limits)}</span>
            </UnstyledButton>
            <Collapse expanded={more}>
              <div className={classes.limits}>
                <LimitFields values={limits} onChange={setLimits} errors={errors} />
              </div>
            </Collapse>
          </div>
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

function problems(limits: LimitValues): { expiresAt?: string; allowedIps?: string } {
  const [expiresAt, allowedIps] = [expiryProblem(limits), rangesProblem(limits.allowedIps)]
  return { ...(expiresAt && { expiresAt }), ...(allowedIps && { allowedIps }) }
}

function summary({ expiry, allowedIps }: LimitValues): string {
  const said = [expiry !== 'never' && 'expires', allowedIps.length > 0 && `${allowedIps.length} allowed`].filter(Boolean)
  return said.length > 0 ? said.join(', ') : 'optional'
}
