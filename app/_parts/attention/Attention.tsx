'use client'

import { Button } from '@mantine/core'
import { IconAlertTriangle, IconClockExclamation, IconGauge, IconKeyOff, IconWallet, IconWebhook } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { formatCredits } from '#server/modules/billing/price-schema'
import type { Attention as Item } from '#server/modules/dashboard/attention'
import { DISABLED_REASONS } from '#server/modules/webhooks/endpoints/state'
import type { Permission } from '#server/permissions'
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
  cause: ReactNode
  /** The button that resolves it, for those with the permission; others see “View”. */
  button: string
  needs?: Permission
  href: string
}

/** Addresses of the pages on which the items of one account are resolved. */
export interface AttentionAddresses {
  keys: string
  /** `open`: the dialog that resolves it. */
  key: (id: string, open?: 'limits' | 'cap' | 'quota') => string
  failedVideos: string
  video: (id: string) => string
  billing: string
  /** Where spending caps are set. */
  caps: string
  webhooks: string
  webhook: (id: string) => string
}

interface Props {
  items: Item[]
  at: AttentionAddresses
  may?: (permission: Permission) => boolean
}

/** Lists what needs attention in an account, each with its cause and the button that resolves it; nothing when all is well. */
export function Attention({ items, at, may = () => false }: Props) {
  if (items.length === 0) return null
  return (
    <Panel title="Needs attention" flush>
      <ul className={classes.list}>
        {items.map((item) => {
          const { tone, icon: Icon, text, cause, button, needs, href } = rowOf(item, at)
          const titled = `attention-${item.kind}`
          return (
            <li key={item.kind} className={classes.item} data-tone={tone}>
              <Icon size={18} className={classes.icon} />
              <div className={classes.text}>
                <p id={titled}>{text}</p>
                <p className={classes.cause}>{cause}</p>
              </div>
              <Button component={Link} href={href} size="compact-sm" variant="default" aria-describedby={titled}>
                {needs && !may(needs) ? 'View' : button}
              </Button>
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
  const have = one ? 'has' : 'have'
  // Links to the item when there is one, otherwise to the list.
  const only = one ? item.of[0]?.id : undefined
  const key = (open?: 'limits' | 'cap' | 'quota') => (only ? at.key(only, open) : at.keys)
  const hook = only ? at.webhook(only) : at.webhooks
  const wallet = { tone: 'bad', icon: IconWallet, needs: 'billing.change' } as const
  switch (item.kind) {
    case 'quota-used-up':
    case 'quota-near': {
      const isFree = item.tier === 'FREE'
      const button = isFree ? 'Upgrade' : 'Request quota'
      const row = { icon: IconGauge, button, needs: 'billing.change', href: isFree ? at.billing : key('quota') } as const
      if (item.kind === 'quota-used-up') {
        const text = (
          <>
            {names} {have} used today’s quota
          </>
        )
        return { ...row, tone: 'bad', text, cause: 'Playback tokens are refused until midnight UTC.' }
      }
      const share = one && item.of[0] ? `${Math.floor(item.of[0].share * 100)}%` : 'most'
      const text = (
        <>
          {names} {have} used {share} of today’s quota
        </>
      )
      return { ...row, tone: 'warn', text, cause: 'Once it is used up, playback tokens are refused until midnight UTC.' }
    }
    case 'key-disabled':
      return {
        ...{ tone: 'bad', icon: IconKeyOff, href: key(), button: 'See why support disabled it' },
        text: <>Support disabled {names}</>,
        cause: `${(one && item.of[0]?.reason) || `Requests with ${one ? 'this key' : 'these keys'} are refused`}.`,
      }
    case 'key-expiring':
      return {
        ...{
          tone: 'warn',
          icon: IconClockExclamation,
          href: key('limits'),
          button: one ? 'Extend key' : 'Extend keys',
          needs: 'keys.change',
        },
        text: (
          <>
            {names}{' '}
            {one && item.of[0] ? (
              <>
                expires <RelativeTime date={item.of[0].at} />
              </>
            ) : (
              'expire soon'
            )}
          </>
        ),
        cause: 'Rotate or extend before requests are refused.',
      }
    case 'key-unused':
      return {
        ...{ tone: 'neutral', icon: IconKeyOff, href: key(), button: one ? 'Review key' : 'Review keys', needs: 'keys.change' },
        text: (
          <>
            {names} {have} not been used for 30 days
          </>
        ),
        cause: 'Revoke keys you no longer need.',
      }
    case 'videos-failed':
      return {
        ...{ tone: 'bad', icon: IconAlertTriangle, href: only ? at.video(only) : at.failedVideos, button: 'See why' },
        text: <>{names} failed to transcode</>,
        cause: (one && item.of[0]?.reason) || 'Each video’s page has the reason.',
      }
    case 'credit-gone':
      return {
        ...{ ...wallet, href: at.billing, button: 'Add credits' },
        text: 'Your balance is empty',
        cause: `Live keys have the free quota until you add credits. ${usedUp(item.exhausted)}`,
      }
    case 'account-cap':
    case 'key-cap':
      return {
        ...{ ...wallet, href: only ? key('cap') : at.caps, button: one ? 'Raise cap' : 'Raise caps' },
        text: (
          <>
            {item.kind === 'key-cap' ? names : 'Your account'} {have} reached {one ? 'its' : 'their'} monthly spending cap
          </>
        ),
        cause: `Live keys have the free quota until the month ends (UTC) or you raise the cap. ${usedUp(item.exhausted)}`,
      }
    case 'credit-low':
      return {
        ...{ ...wallet, tone: 'warn', href: at.billing, button: 'Add credits' },
        text: `Your balance is low: ${formatCredits(item.balance)} credits`,
        cause: 'It is below the threshold you set.',
      }
    case 'webhook-failing':
      return {
        ...{ tone: 'warn', icon: IconWebhook, href: hook, button: 'See responses' },
        text: <>Deliveries to {names} are failing</>,
        cause: 'We keep retrying.',
      }
    case 'webhook-dead':
      return {
        ...{ tone: 'bad', icon: IconWebhook, href: hook, button: 'Replay events', needs: 'webhooks.change' },
        text: <>Deliveries to {names} failed on every attempt</>,
        cause: 'We stopped retrying. Fix the receiver, then replay the events.',
      }
    case 'webhook-disabled':
      return {
        ...{ tone: 'bad', icon: IconWebhook, href: hook, button: one ? 'Enable endpoint' : 'Enable endpoints', needs: 'webhooks.change' },
        text: (
          <>
            {names} {one ? 'is disabled and receives' : 'are disabled and receive'} no events
          </>
        ),
        cause: one && item.of[0] ? DISABLED_REASONS[item.of[0].reason] : 'Their receivers failed for days or responded with 410 Gone.',
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
