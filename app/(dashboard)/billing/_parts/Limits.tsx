'use client'

import { Button, Group, Stack, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { BillingOverview } from '#server/billing/overview'
import { useTRPC } from '../../../_trpc/client'
import { Notice } from '../../../_ui/Notice'
import { Panel } from '../../../_ui/Panel'

type Fields = { lowBalanceThreshold: string; monthCap: string }

/** When an owner is told, and where spending ends. An empty field is no limit. */
export function Limits({ overview, mayChange }: { overview: BillingOverview; mayChange: boolean }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const saved: Fields = { lowBalanceThreshold: overview.lowBalanceThreshold ?? '', monthCap: overview.monthCap ?? '' }
  const [fields, setFields] = useState(saved)
  const [problems, setProblems] = useState<Partial<Fields>>({})
  const save = useMutation(
    trpc.billing.setLimits.mutationOptions({
      onSuccess: async () => {
        await client.invalidateQueries(trpc.billing.overview.pathFilter())
        notifications.show({ message: 'Saved. It holds from the next token on.', withBorder: true })
      },
    }),
  )
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const { limitsInput } = await import('#server/billing/schema')
    const wanted = { lowBalanceThreshold: fields.lowBalanceThreshold.trim() || null, monthCap: fields.monthCap.trim() || null }
    const checked = limitsInput.safeParse(wanted)
    setProblems(checked.success ? {} : Object.fromEntries(checked.error.issues.map(({ path, message }) => [path[0], message])))
    if (checked.success) save.mutate(wanted)
  }
  const field = (name: keyof Fields, label: string, description: string) => (
    <TextInput
      label={label}
      description={description}
      placeholder="None"
      inputMode="decimal"
      rightSectionWidth={62}
      rightSection={<span style={{ color: 'var(--rg-dimmed)', fontSize: 12 }}>credits</span>}
      value={fields[name]}
      error={problems[name]}
      disabled={!mayChange}
      onChange={(event) => setFields({ ...fields, [name]: event.currentTarget.value })}
    />
  )
  const unchanged = fields.lowBalanceThreshold === saved.lowBalanceThreshold && fields.monthCap === saved.monthCap
  return (
    <Panel title="Limits">
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          {field('lowBalanceThreshold', 'Low balance', 'Falling below it fires the webhook wallet.low_balance, once each time.')}
          {field(
            'monthCap',
            'Spending cap a month',
            'Not a token is charged beyond it. Keys then have the free quota until the month ends.',
          )}
          {save.error && <Notice tone="bad">{save.error.message}</Notice>}
          {mayChange && (
            <Group justify="flex-end">
              <Button type="submit" variant="default" disabled={unchanged} loading={save.isPending}>
                Save limits
              </Button>
            </Group>
          )}
        </Stack>
      </form>
    </Panel>
  )
}
