'use client'

import { ActionIcon, Button, Group, Menu, Skeleton, Stack, Title } from '@mantine/core'
import {
  IconAdjustments,
  IconBan,
  IconDots,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlayerStop,
  IconRefresh,
} from '@tabler/icons-react'
import { useSuspenseQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { allowsAction } from '#server/modules/access/keys/state'
import type { ListedKey } from '#server/modules/dashboard/list-keys'
import type { EndpointName } from '../../../../_endpoints'
import { useTRPC } from '../../../../_trpc/client'
import { BackLink } from '../../../../_ui/page/BackLink'
import { useRange } from '../../../../_ui/range/use-range'
import { isByStaff } from '../../../_parts/keys/disabled-by'
import { EnvironmentTag, KeyStateBadge } from '../../../_parts/keys/KeyStateBadge'
import { useKeyActions } from '../../../_parts/keys/use-key-actions'
import { useMay } from '../../../_parts/permissions'
import { useAsked } from '../../../_parts/use-asked'
import { type KeyDialog, useKeyDialogs } from '../../_parts/KeyDialogs'
import { Facts } from './Facts'
import { HigherQuota } from './HigherQuota'
import classes from './KeyDetail.module.css'
import { type KeyRange, KeyUsage } from './KeyUsage'
import { Rotations } from './Rotations'
import { SpendingCap } from './SpendingCap'
import { StateNotice } from './StateNotice'
import { Today } from './Today'

const StopReceipt = dynamic(() => import('./StopReceipt').then((module) => module.StopReceipt), {
  loading: () => <Skeleton height={190} radius="md" />,
})

interface Props {
  keyId: string
  baseUrl: string
  endpoints: EndpointName[]
  initialRange: KeyRange
}

/** Shows one key: its state, its usage, and the actions on it. */
export function KeyDetail({ keyId, baseUrl, endpoints, initialRange }: Props) {
  const mayChange = useMay('keys.change')
  const trpc = useTRPC()
  const [range, setRange] = useRange(initialRange)
  const { data: key } = useSuspenseQuery(
    trpc.key.get.queryOptions({ keyId }, { refetchOnWindowFocus: true, staleTime: 5_000, refetchInterval: 15_000 }),
  )
  const { ask, dialog } = useKeyDialogs(baseUrl)
  // Other pages link to the dialog that resolves a problem.
  useAsked(mayChange ? (['limits', 'scopes', 'enable'] as const) : [], (to) => ask(to, key))
  return (
    <>
      <BackLink href="/api-keys">API Keys</BackLink>
      <Group component="header" justify="space-between" align="flex-start" gap="md" mb="lg">
        <Group gap="sm" align="center" className={classes.head}>
          <Title order={1} className={classes.title}>
            {key.name}
          </Title>
          <EnvironmentTag environment={key.environment} />
          <KeyStateBadge state={key.state} />
        </Group>
        {mayChange && <Actions subject={key} onAsk={ask} />}
      </Group>
      <Stack gap="lg">
        <StateNotice subject={key} />
        {(key.state === 'REVOKED' || key.state === 'DISABLED') && <StopReceipt subject={key} />}
        <Today subject={key} range={range} />
        <KeyUsage keyId={keyId} endpoints={endpoints} range={range} onRange={setRange} />
        <Facts subject={key} onEdit={mayChange && allowsAction(key.state, 'edit') ? (what) => ask(what, key) : undefined} />
        <Rotations subject={key} mayChange={mayChange} />
        {key.environment === 'LIVE' && <SpendingCap keyId={keyId} />}
        {key.environment === 'LIVE' && key.revokedAt === null && <HigherQuota keyId={keyId} keyName={key.name} />}
      </Stack>
      {dialog}
    </>
  )
}

function Actions({ subject, onAsk }: { subject: ListedKey; onAsk: (to: KeyDialog, key: ListedKey) => void }) {
  const { enable } = useKeyActions(subject)
  const can = (action: Parameters<typeof allowsAction>[1]) => allowsAction(subject.state, action)
  return (
    <Group gap="xs">
      {can('edit') && (
        <Button variant="default" leftSection={<IconPencil size={15} />} onClick={() => onAsk('rename', subject)}>
          Rename
        </Button>
      )}
      {subject.state === 'EXPIRED' && (
        <Button variant="default" leftSection={<IconAdjustments size={15} />} onClick={() => onAsk('limits', subject)}>
          Extend
        </Button>
      )}
      {can('rotate') && (
        <Button variant="default" leftSection={<IconRefresh size={15} />} onClick={() => onAsk('rotate', subject)}>
          Rotate
        </Button>
      )}
      {can('disable') && (
        <Button variant="default" leftSection={<IconPlayerPause size={15} />} onClick={() => onAsk('disable', subject)}>
          Disable
        </Button>
      )}
      {can('enable') && (
        <Button
          variant={isByStaff(subject) ? 'default' : 'filled'}
          leftSection={<IconPlayerPlay size={15} />}
          onClick={isByStaff(subject) ? () => onAsk('enable', subject) : enable}
        >
          {isByStaff(subject) ? 'Enable…' : 'Enable'}
        </Button>
      )}
      {can('revoke') && (
        <Button
          variant="default"
          c="var(--mantine-color-error)"
          leftSection={<IconBan size={15} />}
          onClick={() => onAsk('revoke', subject)}
        >
          Revoke
        </Button>
      )}
      {subject.scopes.includes('video:read') && (
        <Menu position="bottom-end" width={190}>
          <Menu.Target>
            <ActionIcon variant="default" size={36} aria-label="More actions">
              <IconDots size={17} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item leftSection={<IconPlayerStop size={15} />} onClick={() => onAsk('endPlayback', subject)}>
              End playback…
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      )}
    </Group>
  )
}
