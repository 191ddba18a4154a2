'use client'

import { Button, Group, Menu, Stack, Title } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconDots, IconPencil, IconPlayerPause, IconPlayerPlay, IconRefresh, IconRotate, IconSend, IconTrash } from '@tabler/icons-react'
import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { DISABLED_REASONS, FAILING_DAYS } from '#server/modules/webhooks/endpoints/state'
import { useTRPC } from '../../../_trpc/client'
import { Notice } from '../../../_ui/Notice'
import { BackLink } from '../../../_ui/page/BackLink'
import { RelativeTime } from '../../../_ui/RelativeTime'
import { useDialog } from '../../../_ui/use-dialog'
import { useMay } from '../../_parts/permissions'
import { EndpointState } from './badges'
import { Deliveries } from './Deliveries'
import { EndpointFacts } from './EndpointFacts'
import { LiveWebhooks } from './LiveWebhooks'
import { VerifyPanel } from './VerifyPanel'
import classes from './Webhooks.module.css'

const EndpointDialog = dynamic(() => import('./EndpointDialog').then((module) => module.EndpointDialog), { ssr: false })
const RotateDialog = dynamic(() => import('./RotateDialog').then((module) => module.RotateDialog), { ssr: false })
const RemoveDialog = dynamic(() => import('./RemoveDialog').then((module) => module.RemoveDialog), { ssr: false })
const TestDialog = dynamic(() => import('./TestDialog').then((module) => module.TestDialog), { ssr: false })
const ReplayDialog = dynamic(() => import('./ReplayDialog').then((module) => module.ReplayDialog), { ssr: false })

type Asked = 'edit' | 'rotate' | 'remove' | 'test' | 'replay'

/** Shows one endpoint: its event types, its deliveries, and code that verifies signatures. */
export function EndpointDetail({ endpointId, receivers }: { endpointId: string; receivers: { language: string; code: string }[] }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const { data: endpoint } = useSuspenseQuery(trpc.webhook.get.queryOptions({ endpointId }))
  const [dialog, open] = useDialog<Asked>()
  const mayChange = useMay('webhooks.change')
  const enable = useMutation(
    trpc.webhook.enable.mutationOptions({
      onSuccess: () => void client.invalidateQueries(trpc.webhook.pathFilter()),
      onError: (error) => notifications.show({ color: 'red', title: 'Something went wrong', message: error.message }),
    }),
  )
  const ask = (what: Asked) => () => open(what)
  const disabled = endpoint.disabledAt !== null

  return (
    <>
      <LiveWebhooks />
      <BackLink href="/webhooks">Webhooks</BackLink>
      <Group component="header" justify="space-between" align="flex-start" gap="md" mb="lg">
        <Stack gap={6} miw={0} flex="1 1 20rem">
          <Title order={1} className={classes.heading}>
            {endpoint.url}
          </Title>
          <Group gap="sm">
            <EndpointState endpoint={endpoint} />
            {endpoint.description && <span className={classes.under}>{endpoint.description}</span>}
          </Group>
        </Stack>
        {mayChange && (
          <Group gap="xs">
            {disabled ? (
              <Button
                leftSection={<IconPlayerPlay size={15} />}
                loading={enable.isPending}
                onClick={() => enable.mutate({ endpointId, enabled: true })}
              >
                Enable
              </Button>
            ) : (
              <Button leftSection={<IconSend size={15} />} onClick={ask('test')}>
                Send test event
              </Button>
            )}
            <Menu position="bottom-end" width={210}>
              <Menu.Target>
                <Button variant="default" px={10} aria-label="More actions">
                  <IconDots size={17} />
                </Button>
              </Menu.Target>
              <Menu.Dropdown>
                <Menu.Item leftSection={<IconPencil size={15} />} onClick={ask('edit')}>
                  Edit
                </Menu.Item>
                <Menu.Item leftSection={<IconRotate size={15} />} onClick={ask('rotate')}>
                  Rotate secret
                </Menu.Item>
                {!disabled && (
                  <>
                    <Menu.Item leftSection={<IconRefresh size={15} />} onClick={ask('replay')}>
                      Replay events
                    </Menu.Item>
                    <Menu.Item leftSection={<IconPlayerPause size={15} />} onClick={() => enable.mutate({ endpointId, enabled: false })}>
                      Disable
                    </Menu.Item>
                  </>
                )}
                <Menu.Divider />
                <Menu.Item color="red" leftSection={<IconTrash size={15} />} onClick={ask('remove')}>
                  Delete
                </Menu.Item>
              </Menu.Dropdown>
            </Menu>
          </Group>
        )}
      </Group>

      <Stack gap="lg">
        {endpoint.disabledAt && endpoint.disabledReason && (
          <Notice tone="info">
            Disabled <RelativeTime date={endpoint.disabledAt} />. {DISABLED_REASONS[endpoint.disabledReason]} It receives no events. After
            you enable it, you can replay missed events.
          </Notice>
        )}
        {!disabled && endpoint.failingSince && (
          <Notice tone="bad">
            Every delivery has failed for <RelativeTime date={endpoint.failingSince} elapsed />. After {FAILING_DAYS} days of failures, we
            disable the endpoint.
          </Notice>
        )}
        <Deliveries endpointId={endpointId} />
        <EndpointFacts endpoint={endpoint} />
        <VerifyPanel receivers={receivers} />
      </Stack>

      {dialog && mayChange && (
        <>
          {dialog.subject === 'edit' && <EndpointDialog key={dialog.times} {...dialog.props} subject={endpoint} />}
          {dialog.subject === 'rotate' && <RotateDialog key={dialog.times} {...dialog.props} subject={endpoint} />}
          {dialog.subject === 'remove' && <RemoveDialog key={dialog.times} {...dialog.props} subject={endpoint} />}
          {dialog.subject === 'test' && <TestDialog key={dialog.times} {...dialog.props} subject={endpoint} />}
          {dialog.subject === 'replay' && <ReplayDialog key={dialog.times} {...dialog.props} endpointId={endpointId} />}
        </>
      )}
    </>
  )
}
