'use client'

import { ActionIcon, Menu } from '@mantine/core'
import { IconBan, IconDots, IconGauge, IconKey, IconListSearch, IconRotate } from '@tabler/icons-react'
import { useSuspenseQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { allowsAction } from '#server/modules/access/keys/state'
import type { SupportKey } from '#server/modules/backoffice/support/account-pages'
import { useTRPC } from '../../../../../_trpc/client'
import { formatCount } from '../../../../../_ui/format'
import { Link } from '../../../../../_ui/Link'
import { EmptyState } from '../../../../../_ui/page/EmptyState'
import { QuotaBar } from '../../../../../_ui/QuotaBar'
import { RelativeTime } from '../../../../../_ui/RelativeTime'
import { StatusBadge } from '../../../../../_ui/StatusBadge'
import { type Column, Table } from '../../../../../_ui/Table'
import { useDialog } from '../../../../../_ui/use-dialog'
import classes from '../../../../_parts/Lists.module.css'
import { useReason } from '../../../../_parts/use-reason'
import { KEY_STATES } from '../../_parts/key-states'

const QuotaDialog = dynamic(() => import('./QuotaDialog').then((module) => module.QuotaDialog), { ssr: false })

type Version = Pick<SupportKey, 'id' | 'prefix' | 'state' | 'disabledBy'>
/** The key and those that it replaced. */
const versionsOf = (key: SupportKey): Version[] => [key, ...key.rotations.slice(1)]

const isOver = ({ state }: SupportKey) => state === 'REVOKED' || state === 'EXPIRED'

/** Shows the keys that a key replaced: a customer may name one of them. */
function Replaced({ keys }: { keys: SupportKey['rotations'] }) {
  return (
    <span className={classes.hint}>
      replaced{' '}
      {keys.map(({ id, prefix, state, revokedAt }, position) => (
        <span key={id}>
          {position > 0 && ', '}
          <code>{prefix}…</code>
          {state === 'ROTATING_OUT' && revokedAt && (
            <>
              {' '}
              (expires <RelativeTime date={revokedAt} />)
            </>
          )}
        </span>
      ))}
    </span>
  )
}

/** Lists an account's keys, without their values, with the quota that each has used today. */
export function SupportKeys({ accountId }: { accountId: string }) {
  const trpc = useTRPC()
  const { data: keys } = useSuspenseQuery(trpc.support.keys.queryOptions({ accountId }, { refetchOnWindowFocus: true, staleTime: 5_000 }))
  const [quota, setQuota] = useDialog<SupportKey>()
  const { ask, dialog } = useReason(trpc.support.setKeyDisabled.mutationOptions())
  const disable = (key: SupportKey, { id: keyId, prefix }: Version) =>
    ask({
      title: `Disable ${key.name} (${prefix}…)?`,
      description:
        'We refuse all requests with this key at once. Tokens that it issued stay valid for up to 5 minutes. You and the owner can enable it again.',
      confirm: 'Disable key',
      harms: true,
      done: `${key.name} disabled.`,
      input: { accountId, keyId, disabled: true },
    })
  const enable = (key: SupportKey, { id: keyId, prefix }: Version) =>
    ask({
      title: `Enable ${key.name} (${prefix}…)?`,
      description: 'Requests with this key work again.',
      confirm: 'Enable key',
      done: `${key.name} enabled.`,
      input: { accountId, keyId, disabled: false },
    })
  const columns: Column<SupportKey>[] = [
    {
      title: 'Name',
      phone: 'wide',
      cell: (key) => (
        <div className={classes.lead}>
          <span className={classes.strong}>{key.name}</span>
          <code className={`${classes.code} ${classes.quiet}`}>{key.prefix}…</code>
          {key.rotations.length > 1 && <Replaced keys={key.rotations.slice(1)} />}
        </div>
      ),
    },
    {
      title: 'State',
      cell: ({ state, environment, disabledBy }) => (
        <span className={classes.states}>
          <StatusBadge tone={KEY_STATES[state].tone}>{KEY_STATES[state].title}</StatusBadge>
          {environment === 'TEST' && <StatusBadge tone="warn">Test</StatusBadge>}
          {disabledBy && (
            <span className={classes.reason}>
              by {disabledBy.name}
              {disabledBy.reason && `: ${disabledBy.reason}`}
            </span>
          )}
        </span>
      ),
    },
    { title: 'Scopes', cell: ({ scopes }) => <code className={`${classes.code} ${classes.quiet}`}>{scopes.join(', ')}</code> },
    {
      title: 'Quota used today',
      phone: 'wide',
      cell: (key) =>
        isOver(key) ? (
          '–'
        ) : (
          <div className={classes.value}>
            <QuotaBar used={key.today.counted} limit={key.dailyQuota} of={key.name} exhaustedAt={key.exhaustedAt} />
            {key.ownQuota !== null && <span className={classes.hint}>set by support</span>}
          </div>
        ),
    },
    { title: 'Refused today', number: true, cell: ({ today }) => formatCount(today.refused) },
    { title: 'Requests', number: true, cell: ({ requestCount }) => formatCount(requestCount) },
    { title: 'Last used', cell: ({ lastUsedAt }) => (lastUsedAt ? <RelativeTime date={lastUsedAt} /> : 'Never') },
    {
      title: 'Actions',
      phone: 'corner',
      width: 48,
      cell: (key) => (
        <Menu position="bottom-end" width={220}>
          <Menu.Target>
            <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${key.name}`}>
              <IconDots size={17} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item
              component={Link}
              href={`/support/accounts/${accountId}/requests?keyId=${key.id}`}
              prefetch={false}
              leftSection={<IconListSearch size={15} />}
            >
              Show requests
            </Menu.Item>
            {key.environment === 'LIVE' && !isOver(key) && (
              <Menu.Item leftSection={<IconGauge size={15} />} onClick={() => setQuota(key)}>
                Set quota
              </Menu.Item>
            )}
            {versionsOf(key)
              .filter(({ state, disabledBy }) => disabledBy?.kind === 'support' && allowsAction(state, 'enable'))
              .map((one) => (
                <Menu.Item key={one.id} leftSection={<IconRotate size={15} />} onClick={() => enable(key, one)}>
                  Enable {key.rotations.length > 0 ? `${one.prefix}…` : 'key'}
                </Menu.Item>
              ))}
            {versionsOf(key)
              .filter(({ state }) => allowsAction(state, 'disable'))
              .map((one, _, working) => (
                <Menu.Item key={one.id} color="red" leftSection={<IconBan size={15} />} onClick={() => disable(key, one)}>
                  {working.length > 1 ? `Disable ${one.prefix}…` : 'Disable key'}
                </Menu.Item>
              ))}
          </Menu.Dropdown>
        </Menu>
      ),
    },
  ]
  if (keys.length === 0) {
    return (
      <EmptyState framed icon={<IconKey size={20} />} title="No API keys">
        This account has not created any API keys.
      </EmptyState>
    )
  }
  return (
    <>
      <Table label="API keys" columns={columns} rows={keys} keyOf={({ id }) => id} muted={isOver} />
      {quota && <QuotaDialog key={quota.times} accountId={accountId} subject={quota.subject} {...quota.props} />}
      {dialog}
    </>
  )
}
