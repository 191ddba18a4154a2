import { IconCheck, IconMinus } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { ListedKey } from '#server/modules/dashboard/list-keys'
import { formatCount, formatMinute } from '../../../_ui/format'
import { useTimeZone } from '../../../_ui/time-zone'
import classes from './CarriedOver.module.css'

/** Lists what a rotation keeps and what it changes, with the key's present values. */
export function CarriedOver({ subject, overlapSec }: { subject: ListedKey; overlapSec: number }) {
  const { name, scopes, allowedIps, dailyQuota, today, expiresAt, createdAt, prefix } = subject
  const [zone] = useTimeZone()
  const days = expiresAt && Math.max(1, Math.round((expiresAt.getTime() - createdAt.getTime()) / 86_400_000))
  return (
    <div className={classes.two}>
      <List title="Carried over" icon={<IconCheck size={14} aria-hidden="true" />}>
        <li>
          Name <b>{name}</b> and {scopes.length === 1 ? 'scope' : 'scopes'} {scopes.join(', ')}
        </li>
        <li>{allowedIps.length === 0 ? 'Access from any address' : `Allowed addresses: ${allowedIps.join(', ')}`}</li>
        <li>
          Daily quota of {formatCount(dailyQuota)} tokens, {formatCount(today.counted)} of them used today
        </li>
        <li>Monthly spending cap, and the spending of this month</li>
        <li>Usage, charts and request log</li>
      </List>
      <List title="Changed" icon={<IconMinus size={14} aria-hidden="true" />}>
        <li>
          The secret. The old one (<code>{prefix}…</code>){' '}
          {overlapSec === 0 ? 'stops now' : `works until ${formatMinute(new Date(Date.now() + overlapSec * 1_000), zone)}`}
        </li>
        <li>{days ? `The expiry: ${formatCount(days)} ${days === 1 ? 'day' : 'days'} from now` : 'The key ID and the prefix'}</li>
        {days && <li>The key ID and the prefix</li>}
      </List>
    </div>
  )
}

function List({ title, icon, children }: { title: string; icon: ReactNode; children: ReactNode }) {
  return (
    <section>
      <h3 className={classes.title}>
        {icon}
        {title}
      </h3>
      <ul className={classes.list}>{children}</ul>
    </section>
  )
}
