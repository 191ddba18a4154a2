'use client'

import { Button } from '@mantine/core'
import dynamic from 'next/dynamic'
import type { DashboardDetail } from '#server/modules/dashboard/get-video'
import { IdChip } from '../../../../_ui/IdChip'
import { Panel } from '../../../../_ui/Panel'
import { useDialog } from '../../../../_ui/use-dialog'
import classes from './Metadata.module.css'

const MetadataDialog = dynamic(() => import('../../../_parts/videos/MetadataDialog').then((module) => module.MetadataDialog), {
  ssr: false,
})

/** Shows the external id and the metadata that the account's own programs and members state. */
export function Metadata({ video, mayChange }: { video: DashboardDetail; mayChange: boolean }) {
  const [dialog, change] = useDialog()
  const entries = Object.entries(video.metadata)
  return (
    <Panel
      title="Metadata"
      action={
        mayChange && (
          <Button size="compact-sm" variant="default" onClick={() => change()}>
            Change metadata
          </Button>
        )
      }
    >
      {entries.length === 0 && !video.externalId ? (
        <p className={classes.none}>None yet. Store your own id and texts with the video here or through the API.</p>
      ) : (
        <dl className={classes.entries}>
          {video.externalId && (
            <div>
              <dt>External ID</dt>
              <dd>
                <IdChip id={video.externalId} />
              </dd>
            </div>
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
      {dialog && <MetadataDialog key={dialog.times} video={video} {...dialog.props} />}
    </Panel>
  )
}
