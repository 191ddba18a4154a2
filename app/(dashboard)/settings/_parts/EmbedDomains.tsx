'use client'

import { Button, Group, Radio, Skeleton, Stack, Text } from '@mantine/core'
import { schemaResolver } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { type FormEvent, useRef, useState } from 'react'
import { useTRPC } from '../../../_trpc/client'
import { Conflict } from '../../../_ui/form/Conflict'
import { conflictOf } from '../../../_ui/form/conflict-of'
import { FormError } from '../../../_ui/form/FormError'
import { showAtFields } from '../../../_ui/form/form-errors'
import { lazySchema } from '../../../_ui/form/lazy-schema'
import { useForm } from '../../../_ui/form/use-form'
import { Notice } from '../../../_ui/Notice'

const fetchInput = () => import('./DomainsInput').then((module) => module.DomainsInput)
const DomainsInput = dynamic(fetchInput, { loading: () => <Skeleton height={80} /> })

const validate = schemaResolver(
  lazySchema(async () => {
    const { embedDomainsInput } = await import('#server/modules/identity/accounts/schema')
    const some = embedDomainsInput.shape.domains.refine(({ length }) => length > 0, 'Enter at least one domain, or allow any site.')
    return embedDomainsInput.pick({ domains: true }).extend({ domains: some })
  }),
)

interface Values {
  sites: 'any' | 'listed'
  domains: string[]
}
const valuesOf = (domains: string[]): Values => ({ sites: domains.length > 0 ? 'listed' : 'any', domains })
const domainsOf = ({ sites, domains }: Values) => (sites === 'listed' ? domains : [])
const formatLimit = (domains: string[]) => (domains.length === 0 ? 'any site' : domains.join(', '))

/** Edits the sites that may embed the player in a frame. */
export function EmbedDomains({ domains, mayChange }: { domains: string[]; mayChange: boolean }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const [expected, setExpected] = useState(domains)
  const form = useForm<Values>({
    initialValues: valuesOf(domains),
    validate: async (values) => (values.sites === 'any' ? {} : validate(values)),
  })
  const save = useMutation(
    trpc.account.setEmbedDomains.mutationOptions({
      onSuccess: async (_, { domains }) => {
        setExpected(domains)
        await client.invalidateQueries(trpc.account.settings.pathFilter())
        notifications.show({ message: 'Saved. Applies to players opened from now on.', withBorder: true })
      },
      onError: showAtFields(form),
    }),
  )

  // Each is normalized as it is entered, so that the field shows what will apply.
  const normalize = async (entered: string[]) => {
    const { embedDomain } = await import('#server/modules/identity/accounts/schema')
    const read = entered.map((text) => embedDomain.safeParse(text))
    form.setFieldValue('domains', [...new Set(read.flatMap(({ data }) => data ?? []))])
    form.setErrors({ domains: read.find(({ success }) => !success)?.error?.issues[0]?.message })
  }
  // A click on Save enters what is typed, and must send it.
  const normalized = useRef(Promise.resolve())
  const change = (entered: string[]) => {
    normalized.current = normalize(entered)
  }

  const wanted = domainsOf(form.values)
  const theirs = conflictOf<{ domains: string[] }>(save.error)?.domains
  const show = (domains: string[]) => {
    save.reset()
    setExpected(domains)
    form.setValues(valuesOf(domains))
  }
  const send = (expected: string[]) => async (event?: FormEvent) => {
    event?.preventDefault()
    await normalized.current
    form.onSubmit((values) => save.mutate({ domains: domainsOf(values), expected }))()
  }

  return (
    <form onSubmit={(event) => void send(expected)(event)} noValidate>
      <Stack gap="md">
        {!mayChange && <Notice tone="info">Only an owner can change this.</Notice>}
        <Radio.Group
          label="Sites that can embed the player"
          onPointerEnter={() => void fetchInput()}
          onFocus={() => void fetchInput()}
          value={form.values.sites}
          onChange={(sites) => form.setValues({ sites: sites as Values['sites'] })}
        >
          <Stack gap="sm" mt={6}>
            <Radio value="any" label="Any site" description="Any page with a playback token can show the player." disabled={!mayChange} />
            <Radio
              value="listed"
              label="Only these sites"
              description="Browsers block the player on all other sites, even with a valid token."
              disabled={!mayChange}
            />
          </Stack>
        </Radio.Group>
        {form.values.sites === 'listed' && (
          <DomainsInput domains={form.values.domains} onChange={change} problem={form.errors.domains} disabled={!mayChange} />
        )}
        <FormError error={theirs ? null : save.error} form={form} />
        {theirs && (
          <Conflict
            fields={[{ title: 'Sites', mine: formatLimit(wanted), theirs: formatLimit(theirs) }]}
            busy={form.submitting || save.isPending}
            onTakeTheirs={() => show(theirs)}
            onKeepMine={() => void send(theirs)()}
          />
        )}
        {mayChange && (
          <Group gap="md">
            <Button type="submit" loading={form.submitting || save.isPending} disabled={wanted.join() === expected.join()}>
              Save
            </Button>
            <Text size="xs" c="dimmed">
              This does not apply to native apps or your own players.
            </Text>
          </Group>
        )}
      </Stack>
    </form>
  )
}
