'use client'

import { Collapse, Modal, Radio, Stack, TextInput, UnstyledButton } from '@mantine/core'
import type { FormErrors } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { IconChevronDown } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { CreatedKey } from '#server/modules/access/keys/create-key'
import { createKeyInput } from '#server/modules/access/keys/schema'
import type { Scope } from '#server/scopes'
import { useTRPC } from '../../../_trpc/client'
import { DialogActions } from '../../../_ui/form/DialogActions'
import { FormError } from '../../../_ui/form/FormError'
import { fieldErrors, showAtFields } from '../../../_ui/form/form-errors'
import { SecondFactorField, useCodeRequest } from '../../../_ui/form/SecondFactorField'
import { schemaErrors } from '../../../_ui/form/schema-errors'
import { useForm } from '../../../_ui/form/use-form'
import { KeyShownOnce } from './KeyShownOnce'
import { LimitFields } from './LimitFields'
import { expiryOf, type LimitValues, limitErrors, NO_LIMITS } from './limits'
import classes from './NewKeyDialog.module.css'
import { ScopeChoice } from './ScopeChoice'

const ownInput = createKeyInput.omit({ expiresAt: true, allowedIps: true })

interface Values extends LimitValues {
  name: string
  environment: 'LIVE' | 'TEST'
  scopes: Scope[]
  code: string
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
  const [more, { toggle, open }] = useDisclosure(false)
  const { needsCode, noteRefusal } = useCodeRequest()
  const given = (values: Values) => ({ ...values, code: needsCode ? values.code : undefined })
  const form = useForm<Values>({
    initialValues: { name: '', environment: 'LIVE', scopes: ['video:read'], code: '', ...NO_LIMITS },
    validate: (values) => ({ ...schemaErrors(ownInput.safeParse(given(values))), ...limitErrors(values) }),
    validateInputOnChange: ['allowedIps'],
  })
  const showErrors = showAtFields(form)
  /** The limits are collapsed until their errors are shown. */
  const openLimits = ({ expiresAt, allowedIps }: FormErrors) => (expiresAt || allowedIps) && open()
  const create = useMutation(
    trpc.key.create.mutationOptions({
      onSuccess(key) {
        onMade?.(key)
        for (const path of [trpc.key.pathFilter(), trpc.account.overview.pathFilter(), trpc.account.firstSteps.pathFilter()])
          void client.invalidateQueries(path)
      },
      onError(error) {
        noteRefusal(error)
        showErrors(error)
        openLimits(fieldErrors(error) ?? {})
      },
    }),
  )
  const made = create.data
  const submit = form.onSubmit((values) => create.mutate({ ...given(values), expiresAt: expiryOf(values.expiresAt) }), openLimits)

  if (made) {
    return <KeyShownOnce made={made} title={`Key “${made.name}” generated`} baseUrl={baseUrl} opened={opened} onClose={onClose} />
  }

  return (
    <Modal opened={opened} onClose={onClose} title="Generate New Key">
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <FormError error={create.error} form={form} />
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
          <ScopeChoice {...form.getInputProps('scopes')} />
          <div>
            <UnstyledButton className={`${classes.more} rg-touch`} onClick={toggle} aria-expanded={more} data-open={more || undefined}>
              <IconChevronDown size={15} />
              Expiry and allowed addresses
              <span className={classes.optional}>{summary(form.values)}</span>
            </UnstyledButton>
            <Collapse expanded={more}>
              <div className={classes.limits}>
                <LimitFields form={form} />
              </div>
            </Collapse>
          </div>
          {needsCode && <SecondFactorField description="Required to generate a key." {...form.getInputProps('code')} />}
          <DialogActions onCancel={onClose} sticky loading={create.isPending}>
            Generate key
          </DialogActions>
        </Stack>
      </form>
    </Modal>
  )
}

function summary({ expiresAt, allowedIps }: LimitValues): string {
  const said = [expiresAt.expiry !== 'never' && 'expires', allowedIps.length > 0 && `${allowedIps.length} allowed`].filter(Boolean)
  return said.length > 0 ? said.join(', ') : 'optional'
}
