'use client'

import { Button, Group, Radio, Skeleton, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { type FormEvent, useState } from 'react'
import { useTRPC } from '../../../_trpc/client'
import { Conflict } from '../../../_ui/Conflict'
import { conflictOf } from '../../../_ui/conflict-of'
import { fieldErrors, schemaErrors } from '../../../_ui/form-errors'
import { Notice } from '../../../_ui/Notice'

const fetchInput = () => import('./DomainsInput').then((module) => module.DomainsInput)
const DomainsInput = dynamic(fetchInput, { loading: () => <Skeleton height={80} /> })

const formatDomains = (domains: string[]) => (domains.length === 0 ? 'any site' : domains.join(', '))

/** Edits the sites that may embed the player in a frame. */
export function EmbedDomains({ domains, mayChange }: { domains: string[]; mayChange: boolean }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const [limited, setLimited] = useState(domains.length > 0)
  const [listed, setListed] = useState(domains)
  const [expected, setSeen] = useState(domains)
  const [problem, setProblem] = useState<string>()
  const save = useMutation(
    trpc.account.setEmbedDomains.mutationOptions({
      onSuccess: async (_, { domains }) => {
        setSeen(domains)
        await client.invalidateQueries(trpc.account.settings.pathFilter())
        notifications.show({ message: 'Saved. Applies to players opened from now on.', withBorder: true })
      },
      onError: (error) => setProblem(Object.values(fieldErrors(error) ?? {})[0]),
    }),
  )

  // Each is normalized as it is entered, so that the field shows what will apply.
  const change = async (entered: string[]) => {
    const { embedDomain } = await import('#server/modules/accounts/schema')
    const read = entered.map((text) => embedDomain.safeParse(text))
    setProblem(read.find(({ success }) => !success)?.error?.issues[0]?.message)
    setListed([...new Set(read.flatMap(({ data }) => data ?? []))])
  }

  const edited = limited ? listed : []
  const unchanged = edited.join() === expected.join()
  const theirs = conflictOf<{ domains: string[] }>(save.error)?.domains
  const show = (domains: string[]) => {
    save.reset()
    setSeen(domains)
    setLimited(domains.length > 0)
    setListed(domains)
  }
  const send = async (expected: string[]) => {
    if (limited && listed.length === 0) return setProblem('Enter at least one domain, or allow any site.')
    const { embedDomainsInput } = await import('#server/modules/accounts/schema')
    const checked = embedDomainsInput.safeParse({ domains: edited, expected })
    setProblem(schemaErrors(checked).domains)
    if (checked.success) save.mutate(checked.data)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void send(expected)
  }

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {!mayChange && <Notice tone="info">Only an owner can change this.</Notice>}
        <Radio.Group
          aria-label="Sites"
          onPointerEnter={() => void fetchInput()}
          onFocus={() => void fetchInput()}
          value={limited ? 'listed' : 'any'}
          onChange={(value) => {
            setLimited(value === 'listed')
            setProblem(undefined)
          }}
        >
          <Stack gap="sm">
            <Radio value="any" label="Any site" description="Any page with a playback token can show the player." disabled={!mayChange} />
            <Radio
              value="listed"
              label="Only these sites"
              description="Browsers block the player on all other sites, even with a valid token."
              disabled={!mayChange}
            />
          </Stack>
        </Radio.Group>
        {limited && <DomainsInput domains={listed} onChange={(entered) => void change(entered)} problem={problem} disabled={!mayChange} />}
        {save.isError && !theirs && !fieldErrors(save.error) && <Notice tone="bad">{save.error.message}</Notice>}
        {theirs && (
          <Conflict
            fields={[{ title: 'Sites', mine: formatDomains(edited), theirs: formatDomains(theirs) }]}
            busy={save.isPending}
            onTakeTheirs={() => show(theirs)}
            onKeepMine={() => void send(theirs)}
          />
        )}
        {mayChange && (
          <Group gap="md">
            <Button type="submit" loading={save.isPending} disabled={unchanged}>
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
