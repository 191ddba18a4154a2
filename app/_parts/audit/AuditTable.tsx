'use client'

import { IconApi, IconHeadset, IconServer, IconTerminal2 } from '@tabler/icons-react'
import { useMemo } from 'react'
import { actionDescription } from '#server/audit-actions'
import type { ReadEntry } from '#server/modules/audit/read'
import { IdChip } from '../../_ui/IdChip'
import { Link } from '../../_ui/Link'
import { RelativeTime } from '../../_ui/RelativeTime'
import { type Column, Table } from '../../_ui/Table'
import classes from './AuditLog.module.css'
import { Diff } from './Diff'

type Pages = readonly (readonly [prefix: string, page: string])[]

const DASHBOARD: Pages = [
  ['vid_', '/videos/'],
  ['key_', '/api-keys/'],
]

const columns = (pages: Pages): Column<ReadEntry>[] => [
  {
    title: 'Change',
    phone: 'wide',
    cell: ({ actor, action, subject }) => (
      <div className={classes.change}>
        <div className={classes.sentence}>
          <Actor actor={actor} /> {actionDescription(action)}
        </div>
        <Subject subject={subject} pages={pages} />
      </div>
    ),
  },
  { title: 'Before and after', phone: 'wide', width: '42%', cell: ({ before, after }) => <Diff before={before} after={after} /> },
  { title: 'Time', width: 140, cell: ({ at }) => <RelativeTime date={at} /> },
]

/** Lists changes, newest first. `pages`: where the pages of objects are, by the prefix of their ids. */
export function AuditTable({ entries, pages = DASHBOARD }: { entries: ReadEntry[]; pages?: Pages }) {
  const shown = useMemo(() => columns(pages), [pages])
  return <Table label="Changes" columns={shown} rows={entries} keyOf={({ id }) => id} />
}

const ICONS = { key: IconApi, support: IconHeadset, operator: IconTerminal2, system: IconServer }
const SAYS = { key: 'API key', support: 'Support', operator: '', system: '' }

function Actor({ actor: { kind, name } }: { actor: ReadEntry['actor'] }) {
  if (kind === 'person') return <b>{name}</b>
  const Icon = ICONS[kind]
  return (
    <b>
      <Icon size={14} className={classes.kind} aria-hidden="true" /> {SAYS[kind]} {name}
    </b>
  )
}

function Subject({ subject: { id, name }, pages }: { subject: ReadEntry['subject']; pages: Pages }) {
  const page = pages.find(([prefix]) => id.startsWith(prefix))?.[1]
  return (
    <div className={classes.subject}>
      {name && (page ? <Link href={page + id}>{name}</Link> : <span>{name}</span>)}
      <IdChip id={id} />
    </div>
  )
}
