'use client'

import {
  IconAlertTriangle,
  IconChevronRight,
  IconClockExclamation,
  IconGauge,
  IconKeyOff,
  IconWallet,
  IconWebhook,
} from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { formatCredits } from '#server/modules/billing/price-schema'
import type { Attention as Item } from '#server/modules/dashboard/attention'
import { formatCount } from '../../_ui/format'
import { Link } from '../../_ui/Link'
import { Panel } from '../../_ui/Panel'
import { RelativeTime } from '../../_ui/RelativeTime'
import type { Tone } from '../../_ui/theme'
import classes from './Attention.module.css'

interface Row {
  tone: Tone
  icon: typeof IconAlertTriangle
  text: ReactNode
  href: string
}

/** Addresses of the pages on which the items of one account are checked. */
export interface AttentionAddresses {
  keys: string
  key: (id: string) => string
  failedVideos: string
  video: (id: string) => string
  billing: string
  /** Where spending caps are set. */
  caps: string
  webhooks: string
  webhook: (id: string) => string
}

/** Lists what should be checked in an account, each with a link; nothing when there is no problem. */
export function Attention({ items, at }: { items: Item[]; at: AttentionAddresses }) {
  if (items.length === 0) return null
  return (
    <Panel title="Needs attention" flush>
      <ul className={classes.list}>
        {items.map((item) => {
          const { tone, icon: Icon, text, href } = rowOf(item, at)
          return (
            <li key={item.kind}>
              <Link href={href} className={classes.item} data-tone={tone}>
                <Icon size={17} className={classes.icon} />
                <span className={classes.text}>{text}</span>
                <IconChevronRight size={15} className={classes.go} />
              </Link>
            </li>
          )
        })}
      </ul>
    </Panel>
  )
}

function rowOf(item: Item, at: AttentionAddresses): Row {
  const names = <Names item={item} />
  const one = item.count === 1
  // Links to the item when there is one, otherwise to the list.
  const [first] = item.of
  const key = one && first ? at.key(first.id) : at.keys
  switch (item.kind) {
    case 'quota-used-up':
      return {
        tone: 'bad',
        icon: IconGauge,
        href: key,
        text: (
          <>
            {names} {one ? 'has' : 'have'} used all of today’s quota. Playback tokens are refused until midnight UTC.
          </>
        ),
      }
    case 'quota-near':
      return {
        tone: 'warn',
        icon: IconGauge,
        href: key,
        text: one ? (
          <>
            {names} has used {Math.floor((item.of[0]?.share ?? 0) * 100)}% of today’s quota.
          </>
        ) : (
          <>{names} have used most of today’s quota.</>
        ),
      }
    case 'key-expiring':
      return {
        tone: 'warn',
        icon: IconClockExclamation,
        href: key,
        text: (
          <>
            {names} {one ? 'expires' : 'expire'} soon
            {one && item.of[0] && (
              <>
                : <RelativeTime date={item.of[0].at} within />
              </>
            )}
            . Rotate {one ? 'the key' : 'the keys'} or change the expiry.
          </>
        ),
      }
    case 'key-unused':
      return {
        tone: 'neutral',
        icon: IconKeyOff,
        href: key,
        text: (
          <>
            {names} {one ? 'has' : 'have'} not been used for 30 days or more. Revoke keys that are no longer needed.
          </>
        ),
      }
    case 'videos-failed':
      return {
        tone: 'bad',
        icon: IconAlertTriangle,
        href: one && first ? at.video(first.id) : at.failedVideos,
        text: (
          <>
            Transcoding of {names} failed. View {one ? 'reason' : 'reasons'}.
          </>
        ),
      }
    case 'credit-gone':
      return {
        tone: 'bad',
        icon: IconWallet,
        href: at.billing,
        text: <>Balance is empty. Live keys have the free quota until credits are added. {usedUp(item.exhausted)}</>,
      }
    case 'account-cap':
      return {
        tone: 'bad',
        icon: IconWallet,
        href: at.caps,
        text: (
          <>
            Spending has reached the account’s monthly cap. Live keys have the free quota until the month ends (UTC) or you raise the cap.{' '}
            {usedUp(item.exhausted)}
          </>
        ),
      }
    case 'key-cap':
      return {
        tone: 'bad',
        icon: IconWallet,
        href: one && first ? at.key(first.id) : at.caps,
        text: (
          <>
            {names} {one ? 'has reached its' : 'have reached their'} monthly spending cap, and {one ? 'has' : 'have'} the free quota until
            the month ends (UTC) or you raise the cap. {usedUp(item.exhausted)}
          </>
        ),
      }
    case 'credit-low':
      return {
        tone: 'warn',
        icon: IconWallet,
        href: at.billing,
        text: <>Balance is low: {formatCredits(item.balance)} credits left, below the threshold.</>,
      }
    case 'webhook-failing':
      return {
        tone: 'warn',
        icon: IconWebhook,
        href: at.webhooks,
        text: <>Deliveries to {names} are failing. Retrying automatically.</>,
      }
    case 'webhook-dead':
      return {
        tone: 'bad',
        icon: IconWebhook,
        href: one && first ? at.webhook(first.id) : at.webhooks,
        text: <>Deliveries to {names} failed on every attempt and are no longer retried. Fix the receiver, then replay them.</>,
      }
    case 'webhook-disabled':
      return {
        tone: 'bad',
        icon: IconWebhook,
        href: at.webhooks,
        text: (
          <>
            {names} {one ? 'is' : 'are'} disabled. Events are not delivered.
          </>
        ),
      }
  }
}

/** Says how many keys have used the free quota as well, so that they are refused. */
function usedUp(keys: number): string {
  if (keys === 0) return ''
  return keys === 1
    ? '1 key has used it up: its playback tokens are refused.'
    : `${formatCount(keys)} keys have used it up: their playback tokens are refused.`
}

/** Shows the first names, and the number of the others. */
function Names({ item: { of, count } }: { item: Item }) {
  const more = count - of.length
  return (
    <>
      {of.map(({ id, name }, at) => (
        <span key={id}>
          {at > 0 && (at === of.length - 1 && more === 0 ? ' and ' : ', ')}
          <b>{name}</b>
        </span>
      ))}
      {more > 0 && ` and ${formatCount(more)} more`}
    </>
  )
}
