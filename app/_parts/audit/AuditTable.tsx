'use client'

import { Anchor } from '@mantine/core'
import { IconApi, IconHeadset, IconServer, IconTerminal2 } from '@tabler/icons-react'
import { useMemo } from 'react'
import { actionDescription } from '#server/audit-actions'
import type { FoldedViews, ListedEntry } from '#server/modules/audit/fold-views'
import type { ReadEntry } from '#server/modules/audit/read'
import type { AuditFilter } from '#server/modules/audit/schema'
import { formatCount } from '../../_ui/format'
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
  ['whe_', '/webhooks/'],
  ['vwr_', '/viewers/people/'],
]

type OnFilter = (filter: AuditFilter) => void

const columns = (pages: Pages, onFilter: OnFilter): Column<ListedEntry>[] => [
  {
    title: 'Change',
    phone: 'wide',
    cell: ({ actor, action, subject, views }) => (
      <div className={classes.change}>
        <div className={classes.sentence}>
          <Actor actor={actor} /> {actionDescription(action)}
          {views && ` ${formatCount(views.count)} times`}
        </div>
        {!views && !isKnown(subject, actor) && <Subject subject={subject} pages={pages} />}
      </div>
    ),
  },
  {
    title: 'Before and after',
    phone: 'wide',
    width: '42%',
    cell: ({ before, after, views, actor, at }) =>
      views ? <Views views={views} onShow={() => onFilter(viewsOf(actor.id, at))} /> : <Diff before={before} after={after} />,
  },
  { title: 'Time', width: 150, cell: ({ at }) => <RelativeTime date={at} exact /> },
]

/** Returns whether the sentence names the subject already: the account of the log, or the actor. */
const isKnown = (subject: ReadEntry['subject'], actor: ReadEntry['actor']) => subject.id.startsWith('acc_') || subject.id === actor.id

interface Props {
  entries: ListedEntry[]
  /** Where the pages of objects are, by the prefix of their ids. */
  pages?: Pages
  onFilter: OnFilter
}

/** Lists changes, newest first. */
export function AuditTable({ entries, pages = DASHBOARD, onFilter }: Props) {
  const shown = useMemo(() => columns(pages, onFilter), [pages, onFilter])
  return <Table label="Changes" columns={shown} rows={entries} keyOf={({ id }) => id} />
}

/** Returns the filter of each view by a member of staff on a UTC day. */
function viewsOf(actor: string, at: Date): AuditFilter {
  const day = at.toISOString().slice(0, 10)
  return { actor, action: 'support.view', from: day, to: day }
}

function Views({ views: { pages, since }, onShow }: { views: FoldedViews; onShow: () => void }) {
  return (
    <div className={classes.views}>
      <span>
        {pages.length > 0 && `${pages.join(', ')}; `}first viewed <RelativeTime date={since} />
      </span>
      <Anchor component="button" type="button" size="sm" onClick={onShow}>
        Show each view
      </Anchor>
    </div>
  )
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
      {name &&
        (page ? (
          <Link href={page + id} className="rg-touch">
            {name}
          </Link>
        ) : (
          <span>{name}</span>
        ))}
      <IdChip id={id} />
    </div>
  )
}
