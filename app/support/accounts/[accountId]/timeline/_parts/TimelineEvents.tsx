import {
  IconBan,
  IconCreditCard,
  IconGauge,
  IconHeadset,
  IconKey,
  IconLogin2,
  IconMovie,
  IconNote,
  IconSettings,
  IconWebhook,
} from '@tabler/icons-react'
import { TIMELINE_KINDS, type TimelineKind } from '#server/modules/backoffice/support/state'
import type { TimelineEvent } from '#server/modules/backoffice/support/timeline-sources'
import { formatDay } from '../../../../../_ui/format'
import { IdChip } from '../../../../../_ui/IdChip'
import { Link } from '../../../../../_ui/Link'
import { RelativeTime } from '../../../../../_ui/RelativeTime'
import { useTimeZone } from '../../../../../_ui/time-zone'
import { foldViews } from './fold-views'
import classes from './Timeline.module.css'

const ICONS: Record<TimelineKind, typeof IconKey> = {
  'sign-ins': IconLogin2,
  account: IconSettings,
  keys: IconKey,
  videos: IconMovie,
  webhooks: IconWebhook,
  billing: IconCreditCard,
  quotas: IconGauge,
  measures: IconBan,
  support: IconHeadset,
  notes: IconNote,
}

const BAD = /failed|refused|rejected|suspended|took a video down/

/** Lists events by day in the reader's time zone, newest first. */
export function TimelineEvents({ accountId, events }: { accountId: string; events: TimelineEvent[] }) {
  const [zone] = useTimeZone()
  const days = Map.groupBy(foldViews(events), ({ at }) => formatDay(at, zone))
  return [...days].map(([day, ofDay]) => (
    <section key={day} aria-label={day}>
      <h2 className={classes.day}>{day}</h2>
      <ol className={classes.events}>
        {ofDay.map((event) => (
          <Event key={event.id} accountId={accountId} event={event} />
        ))}
      </ol>
    </section>
  ))
}

function Event({ accountId, event: { kind, at, actor, what, subject, detail } }: { accountId: string; event: TimelineEvent }) {
  const Icon = ICONS[kind]
  const tone = BAD.test(what) ? 'bad' : undefined
  return (
    <li className={classes.event}>
      <span className={classes.icon} data-tone={tone} title={TIMELINE_KINDS[kind]}>
        <Icon size={15} stroke={1.7} aria-hidden="true" />
      </span>
      <div className={classes.main}>
        <div className={classes.sentence}>
          {actor && <b>{actor}</b>} {what}
          {subject && <Subject accountId={accountId} subject={subject} />}
        </div>
        {detail && <div className={classes.detail}>{detail}</div>}
      </div>
      <span className={classes.time}>
        <RelativeTime date={at} exact />
      </span>
    </li>
  )
}

const PAGES: readonly (readonly [prefix: string, page: string])[] = [
  ['vid_', 'videos/'],
  ['whe_', 'webhooks/'],
]

function Subject({ accountId, subject: { id, name } }: { accountId: string; subject: { id: string; name: string | null } }) {
  const page = PAGES.find(([prefix]) => id.startsWith(prefix))?.[1]
  if (name === null) return <IdChip id={id} />
  if (!page) return <span>{name}</span>
  return (
    <Link href={`/support/accounts/${accountId}/${page}${id}`} prefetch={false}>
      {name}
    </Link>
  )
}
