'use client'

import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { DashboardUpload } from '#server/modules/dashboard/list-uploads'
import { useTRPC } from '../../../../_trpc/client'
import { IdChip } from '../../../../_ui/IdChip'
import { Link } from '../../../../_ui/Link'
import { RelativeTime } from '../../../../_ui/RelativeTime'
import { type Column, Table } from '../../../../_ui/Table'
import { useMay } from '../../../_parts/permissions'
import { UploadBytes, UploadState } from './UploadState'
import classes from './Uploads.module.css'

const COLUMNS: Column<DashboardUpload>[] = [
  { title: 'Title', phone: 'wide', width: '24%', cell: (upload) => <Title upload={upload} /> },
  { title: 'State', phone: 'bare', width: 300, cell: (upload) => <UploadState upload={upload} /> },
  { title: 'Received', width: 130, cell: (upload) => <UploadBytes upload={upload} /> },
  { title: 'Source', phone: 'wide', cell: (upload) => <Source upload={upload} /> },
  { title: 'Created', cell: ({ createdAt }) => <RelativeTime date={createdAt} /> },
]

interface Props {
  uploads: DashboardUpload[]
  onImportAgain: (upload: DashboardUpload) => void
}

/** Lists uploads as rows, with what can be done about each; cards on a phone. */
export function UploadTable({ uploads, onImportAgain }: Props) {
  const mayChange = useMay('videos.change')
  const actions: Column<DashboardUpload> = {
    title: 'Actions',
    phone: 'corner',
    width: 120,
    cell: (upload) => <Action upload={upload} onImportAgain={() => onImportAgain(upload)} />,
  }
  return <Table label="Uploads" columns={mayChange ? [...COLUMNS, actions] : COLUMNS} rows={uploads} keyOf={({ id }) => id} />
}

function Title({ upload: { id, title, video, replaces, externalId } }: { upload: DashboardUpload }) {
  const shown = video?.title ?? title ?? 'Untitled'
  return (
    <div className={classes.title}>
      {video ? (
        <Link href={`/videos/${video.id}`} className={`${classes.link} rg-row-link`} title={shown}>
          {shown}
        </Link>
      ) : (
        <span className={classes.name} title={shown}>
          {shown}
        </span>
      )}
      <div className={classes.under}>
        <IdChip id={id} />
        {replaces && <span>Replaces the source</span>}
        {externalId && <span className={classes.external}>{externalId}</span>}
      </div>
    </div>
  )
}

function Source({ upload: { source, creator } }: { upload: DashboardUpload }) {
  return (
    <>
      <div className={classes.source} title={source?.url}>
        {source ? `Import from ${source.host}` : 'Upload'}
      </div>
      {creator && (
        <div className={classes.under}>
          {'keyId' in creator ? (
            <Link href={`/api-keys/${creator.keyId}`} className={classes.creator}>
              {creator.name}
            </Link>
          ) : (
            <span className={classes.creator}>{creator.email}</span>
          )}
        </div>
      )}
    </>
  )
}

function Action({ upload: { id, state, title, canImportAgain }, onImportAgain }: { upload: DashboardUpload; onImportAgain: () => void }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const cancel = useMutation(
    trpc.upload.cancel.mutationOptions({
      onError: ({ message }) => notifications.show({ color: 'red', title: 'Could not cancel the upload', message }),
      onSettled: () => client.invalidateQueries(trpc.upload.pathFilter()),
    }),
  )
  const name = title ?? id
  if (canImportAgain)
    return (
      <Button size="xs" variant="default" aria-label={`Import again: ${name}`} onClick={onImportAgain}>
        Import again
      </Button>
    )
  if (state !== 'waiting' && state !== 'uploading' && state !== 'retrying') return null
  return (
    <Button
      size="xs"
      variant="default"
      loading={cancel.isPending}
      aria-label={`Cancel ${name}`}
      onClick={() => cancel.mutate({ uploadId: id })}
    >
      Cancel
    </Button>
  )
}
