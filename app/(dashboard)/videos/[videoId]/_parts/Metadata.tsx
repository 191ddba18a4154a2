'use client'

import { Button, Text } from '@mantine/core'
import type { DashboardDetail } from '#server/modules/dashboard/get-video'
import { Fact } from '../../../../_ui/Fact'
import { IdChip } from '../../../../_ui/IdChip'
import { Panel } from '../../../../_ui/Panel'
import { useAskTask } from '../../../_parts/VideoMenus'
import classes from './Facts.module.css'

/** Shows the external ID and the metadata that the account gave the video. */
export function Metadata({ video, mayChange }: { video: DashboardDetail; mayChange: boolean }) {
  const ask = useAskTask()
  const entries = Object.entries(video.metadata)
  return (
    <Panel
      title="Metadata"
      action={
        mayChange && (
          <Button size="compact-sm" variant="default" onClick={() => ask(video, 'metadata')}>
            Change metadata
          </Button>
        )
      }
    >
      {entries.length === 0 && !video.externalId ? (
        <Text size="sm" c="dimmed">
          No metadata yet. Add your own ID and key–value pairs here or through the API.
        </Text>
      ) : (
        <dl className={classes.facts}>
          {video.externalId && (
            <Fact title="External ID">
              <IdChip id={video.externalId} />
            </Fact>
          )}
          {entries.map(([name, text]) => (
            <div key={name}>
              <dt>
                <code>{name}</code>
              </dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
      )}
    </Panel>
  )
}
