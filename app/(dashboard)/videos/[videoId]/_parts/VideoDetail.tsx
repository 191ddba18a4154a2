'use client'

import { Anchor, Button, Group, Stack, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconArrowBackUp, IconChevronLeft, IconPencil, IconTrash } from '@tabler/icons-react'
import { useSuspenseQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import Link from 'next/link'
import { useTRPC } from '../../../../_trpc/client'
import { CodeBlock } from '../../../../_ui/CodeBlock'
import { Panel } from '../../../../_ui/Panel'
import { tokenSnippet } from '../../../_parts/token-snippet'
import { useVideoActions } from '../../../_parts/use-video-actions'
import { VideoStatusBadge } from '../../../_parts/VideoStatusBadge'
import { Facts } from './Facts'
import { Renditions } from './Renditions'
import { StatePanel } from './StatePanel'
import classes from './VideoDetail.module.css'

const EditDialog = dynamic(() => import('./EditDialog').then((module) => module.EditDialog), { ssr: false })

/** One video: what it is, how far it is, and how to play it. */
export function VideoDetail({ videoId, baseUrl }: { videoId: string; baseUrl: string }) {
  const trpc = useTRPC()
  const { data: video } = useSuspenseQuery(trpc.video.get.queryOptions({ videoId }))
  const actions = useVideoActions(video)
  const [editing, edit] = useDisclosure(false)
  const deleted = video.deletedAt !== null

  return (
    <>
      <Anchor component={Link} href="/videos" className={classes.back}>
        <IconChevronLeft size={15} />
        Videos
      </Anchor>
      <Group component="header" justify="space-between" align="flex-start" gap="md" mb="lg">
        <div className={classes.head}>
          <Group gap="sm" align="center">
            <Title order={1} className={classes.title}>
              {video.title}
            </Title>
            <VideoStatusBadge status={video.status} deleted={deleted} />
          </Group>
          {video.description && <p className={classes.description}>{video.description}</p>}
        </div>
        {deleted ? (
          <Button leftSection={<IconArrowBackUp size={15} />} loading={actions.busy} onClick={actions.restore}>
            Restore
          </Button>
        ) : (
          <Group gap="xs">
            <Button variant="default" leftSection={<IconPencil size={15} />} onClick={edit.open}>
              Edit
            </Button>
            <Button
              variant="default"
              c="var(--mantine-color-error)"
              leftSection={<IconTrash size={15} />}
              loading={actions.busy}
              onClick={actions.remove}
            >
              Delete
            </Button>
          </Group>
        )}
      </Group>

      <div className={classes.columns}>
        <Stack gap="lg" miw={0}>
          <StatePanel video={video} onRetry={actions.retry} busy={actions.busy} />
          {video.renditions.length > 0 && <Renditions renditions={video.renditions} />}
          {video.status === 'COMPLETED' && !deleted && (
            <Panel title="Play it">
              <Stack gap="sm">
                <Text size="sm" c="dimmed">
                  Your backend asks for a playback token with its API key. The answer's <code>playerUrl</code> plays this video for whoever
                  opens it within 5 minutes.
                </Text>
                <CodeBlock label="Shell" code={tokenSnippet(baseUrl, video.id)} />
              </Stack>
            </Panel>
          )}
        </Stack>
        <Facts video={video} />
      </div>
      <EditDialog opened={editing} onClose={edit.close} video={video} />
    </>
  )
}
