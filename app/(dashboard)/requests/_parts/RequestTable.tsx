'use client'

import type { MouseEvent } from 'react'
import type { ListedRequest } from '#server/modules/analytics/requests/list-requests'
import { formatCount, formatMs } from '../../../_ui/format'
import { Link } from '../../../_ui/Link'
import { RelativeTime } from '../../../_ui/RelativeTime'
import { StatusMark } from '../../../_ui/StatusMark'
import { type Column, Table } from '../../../_ui/Table'
import classes from './Requests.module.css'

interface Props {
  requests: ListedRequest[]
  openId: string | undefined
  hrefOf: (id: string) => string
  onOpen: (id: string) => void
}

/** Lists calls, newest first. Each is a link to its explanation, which opens next to the table. */
export function RequestTable({ requests, openId, hrefOf, onOpen }: Props) {
  const open = (event: MouseEvent, id: string) => {
    // A click with a modifier key opens the address in a new tab or window, as with any link.
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return
    event.preventDefault()
    onOpen(id)
  }
  const columns: Column<ListedRequest>[] = [
    { title: 'Status', phone: 'end', width: 74, cell: ({ status }) => <StatusMark status={status} /> },
    {
      title: 'Request',
      phone: 'wide',
      cell: ({ id, method, path, status, code, weight }) => (
        <div className={classes.request}>
          <a
            className={`${classes.path} rg-row-link`}
            href={hrefOf(id)}
            aria-current={id === openId || undefined}
            onClick={(event) => open(event, id)}
          >
            <b>{method}</b> {path}
          </a>
          {weight > 1 &&
            (status >= 400 ? (
              <span className={classes.weight} title="Identical refusals with this key in one second. This is the last one.">
                × {formatCount(weight)}
              </span>
            ) : (
              <span className={classes.weight} title="Sampled: this row represents several similar requests.">
                1 in {Math.ceil(weight)}
              </span>
            ))}
          {code && <span className={classes.code}>{code}</span>}
        </div>
      ),
    },
    {
      title: 'Key',
      cell: ({ keyId, keyName }) => <Subject href={keyId && keyName !== null ? `/api-keys/${keyId}` : undefined} name={keyName} />,
    },
    {
      title: 'Video',
      cell: ({ videoId, videoTitle }) => <Subject href={videoTitle === null ? undefined : `/videos/${videoId}`} name={videoTitle} />,
    },
    { title: 'Duration', number: true, cell: ({ durationMs }) => formatMs(durationMs) },
    { title: 'Time', cell: ({ at }) => <RelativeTime date={at} exact /> },
  ]
  return (
    <div className={classes.table}>
      <Table label="Requests" columns={columns} rows={requests} keyOf={({ id }) => id} />
    </div>
  )
}

/** Links to the page of what a request is about. */
function Subject({ href, name }: { href: string | undefined; name: string | null }) {
  if (name === null) return <span className={classes.key}>–</span>
  if (!href) return <span className={classes.key}>{name}</span>
  return (
    <Link href={href} prefetch={false} className={classes.key} title={name}>
      {name}
    </Link>
  )
}
