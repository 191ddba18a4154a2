'use client'

import { ActionIcon, Anchor, Button, Stack } from '@mantine/core'
import { IconPlus, IconX } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import type { DashboardDetail } from '#server/modules/dashboard/get-video'
import { useTRPC } from '../../../../_trpc/client'
import { Link } from '../../../../_ui/Link'
import { Notice } from '../../../../_ui/Notice'
import { Panel } from '../../../../_ui/Panel'
import classes from './Collections.module.css'

const AddToCollection = dynamic(() => import('../../../_parts/videos/AddToCollection').then((module) => module.AddToCollection), {
  ssr: false,
})

/** Shows the collections that a video is in, adds it to others and removes it. */
export function Collections({ video, mayChange }: { video: DashboardDetail; mayChange: boolean }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const [adding, setAdding] = useState(false)
  const take = useMutation(trpc.collection.take.mutationOptions({ onSettled: () => client.invalidateQueries(trpc.video.pathFilter()) }))
  return (
    <Panel
      title="Collections"
      action={
        mayChange &&
        !adding && (
          <Button size="compact-sm" variant="default" leftSection={<IconPlus size={14} />} onClick={() => setAdding(true)}>
            Add to a collection
          </Button>
        )
      }
    >
      <Stack gap="sm">
        {take.error && <Notice tone="bad">{take.error.message}</Notice>}
        {video.collections.length === 0 && <p className={classes.none}>This video is in no collection.</p>}
        {video.collections.length > 0 && (
          <ul className={classes.list} aria-label="Collections of this video">
            {video.collections.map(({ id, name }) => (
              <li key={id}>
                <Anchor component={Link} href={`/videos?collection=${id}`} className={classes.name}>
                  {name}
                </Anchor>
                {mayChange && (
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    size="sm"
                    aria-label={`Remove from ${name}`}
                    disabled={take.isPending}
                    onClick={() => take.mutate({ collectionId: id, videoId: video.id })}
                  >
                    <IconX size={14} />
                  </ActionIcon>
                )}
              </li>
            ))}
          </ul>
        )}
        {mayChange && adding && <AddToCollection video={video} />}
      </Stack>
    </Panel>
  )
}
