'use client'

import { Button, Group, Stack, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { BillingOverview } from '#server/modules/dashboard/billing-overview'
import { useTRPC } from '../../../_trpc/client'
import { Conflict } from '../../../_ui/Conflict'
import { conflictOf } from '../../../_ui/conflict-of'
import { fieldErrors } from '../../../_ui/form-errors'
import { Notice } from '../../../_ui/Notice'
import { Panel } from '../../../_ui/Panel'
import { formatCredits } from '../../_parts/amounts'

type Fields = { lowBalanceThreshold: string; monthCap: string }
type Version = Pick<BillingOverview, 'lowBalanceThreshold' | 'monthCap'>

const fieldsOf = ({ lowBalanceThreshold, monthCap }: Version): Fields => ({
  lowBalanceThreshold: lowBalanceThreshold ?? '',
  monthCap: monthCap ?? '',
})
const formatLimit = (credits: string | null) => (credits === null ? 'none' : formatCredits(credits))

/** Sets when owners are notified, and where spending ends. An empty field is no limit. */
export function Limits({ overview, mayChange }: { overview: BillingOverview; mayChange: boolean }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  // Before an edit the fields show the current values; the draft then keeps the version it started from.
  const [draft, setDraft] = useState<{ fields: Fields; expected: Version }>()
  const expected: Version = draft?.expected ?? { lowBalanceThreshold: overview.lowBalanceThreshold, monthCap: overview.monthCap }
  const saved = fieldsOf(expected)
  const fields = draft?.fields ?? saved
  const [problems, setProblems] = useState<Partial<Fields>>({})
  const save = useMutation(
    trpc.billing.setLimits.mutationOptions({
      onSuccess: async () => {
        await client.invalidateQueries(trpc.billing.overview.pathFilter())
        setDraft(undefined)
        notifications.show({ message: 'Limits saved.', withBorder: true })
      },
      onError: (error) => setProblems(fieldErrors(error) ?? {}),
    }),
  )
  const theirs = conflictOf<Version>(save.error)
  const edited = { lowBalanceThreshold: fields.lowBalanceThreshold.trim() || null, monthCap: fields.monthCap.trim() || null }
  const send = async (expected: Version) => {
    const { limitsInput } = await import('#server/modules/billing/schema')
    const checked = limitsInput.safeParse(edited)
    setProblems(checked.success ? {} : Object.fromEntries(checked.error.issues.map(({ path, message }) => [path[0], message])))
    if (checked.success) save.mutate({ ...edited, expected })
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void send(expected)
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
      onChange={(event) => setDraft({ fields: { ...fields, [name]: event.currentTarget.value }, expected })}
    />
  )
  const unchanged = fields.lowBalanceThreshold === saved.lowBalanceThreshold && fields.monthCap === saved.monthCap
  return (
    <Panel title="Limits">
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          {field(
            'lowBalanceThreshold',
            'Low balance',
            'Sends the webhook event wallet.low_balance, and an email to owners if email is configured, each time the balance falls below this amount.',
          )}
          {field('monthCap', 'Monthly spending cap', 'Charging stops at this amount. Keys have the free quota until the month ends.')}
          {theirs && (
            <Conflict
              fields={[
                { title: 'Low balance', mine: formatLimit(edited.lowBalanceThreshold), theirs: formatLimit(theirs.lowBalanceThreshold) },
                { title: 'Monthly spending cap', mine: formatLimit(edited.monthCap), theirs: formatLimit(theirs.monthCap) },
              ]}
              busy={save.isPending}
              onTakeTheirs={() => {
                save.reset()
                setDraft({ fields: fieldsOf(theirs), expected: theirs })
              }}
              onKeepMine={() => void send(theirs)}
            />
          )}
          {save.error && !theirs && !fieldErrors(save.error) && <Notice tone="bad">{save.error.message}</Notice>}
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
