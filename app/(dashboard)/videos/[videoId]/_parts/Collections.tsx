'use client'

import { Anchor, Button, Text } from '@mantine/core'
import type { DashboardDetail } from '#server/modules/dashboard/get-video'
import { Link } from '../../../../_ui/Link'
import { Panel } from '../../../../_ui/Panel'
import { useAskTask } from '../../../_parts/VideoMenus'
import classes from './Facts.module.css'

/** Shows the collections that a video is in, and opens the dialog that changes them. */
export function Collections({ video, mayChange }: { video: DashboardDetail; mayChange: boolean }) {
  const ask = useAskTask()
  return (
    <Panel
      title="Collections"
      action={
        mayChange && (
          <Button size="compact-sm" variant="default" onClick={() => ask(video, 'collection')}>
            Change collections
          </Button>
        )
      }
    >
      {video.collections.length === 0 ? (
        <Text size="sm" c="dimmed">
          Not in any collection.
        </Text>
      ) : (
        <ul className={classes.list} aria-label="Collections of this video">
          {video.collections.map(({ id, name }) => (
            <li key={id}>
              <Anchor component={Link} href={`/videos?collection=${id}`} inherit>
                {name}
              </Anchor>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}
