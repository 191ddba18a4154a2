import { Button, Skeleton } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ShareLink } from '#server/modules/delivery/sharing/links'
import type { ShareState } from '#server/modules/delivery/sharing/schema'
import { useTRPC } from '../../../_trpc/client'
import { formatCount } from '../../../_ui/format'
import { Notice } from '../../../_ui/Notice'
import { RelativeTime } from '../../../_ui/RelativeTime'
import { StatusBadge } from '../../../_ui/StatusBadge'
import type { Tone } from '../../../_ui/theme'
import classes from './ShareDialog.module.css'

const STATES: Record<ShareState, { tone: Tone; title: string }> = {
  active: { tone: 'good', title: 'Active' },
  expired: { tone: 'neutral', title: 'Expired' },
  revoked: { tone: 'neutral', title: 'Revoked' },
  used: { tone: 'neutral', title: 'No views left' },
}

interface Props {
  links: { data: ShareLink[] | undefined; error: { message: string } | null }
  mayChange: boolean
}

/** Lists the share links of a video; an active one can be revoked. */
export function ShareLinks({ links: { data, error }, mayChange }: Props) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const revoke = useMutation(
    trpc.share.revoke.mutationOptions({
      onSuccess: () => notifications.show({ withBorder: true, message: 'Link revoked. Players stop within 30 seconds.' }),
      onSettled: () => client.invalidateQueries(trpc.share.pathFilter()),
    }),
  )
  const problem = revoke.error ?? error
  return (
    <section aria-label="Share links">
      <h3 className={classes.heading}>Links</h3>
      {problem && <Notice tone="bad">{problem.message}</Notice>}
      {!data && !error && <Skeleton height={62} />}
      {data?.length === 0 && <p className={classes.none}>No share links yet.</p>}
      {data && data.length > 0 && (
        <ul className={classes.list}>
          {data.map((link) => (
            <li key={link.id}>
              <div>
                <div className={classes.name}>
                  {link.name || 'Untitled link'}
                  <StatusBadge tone={STATES[link.state].tone}>{STATES[link.state].title}</StatusBadge>
                </div>
                <div className={classes.facts}>
                  <span>{viewsOf(link)}</span>
                  <span>
                    {link.state === 'expired' ? 'Expired' : 'Expires'} <RelativeTime date={link.expiresAt} />
                  </span>
                  <span>
                    {link.createdBy}, <RelativeTime date={link.createdAt} />
                  </span>
                </div>
              </div>
              {mayChange && link.state === 'active' && (
                <Button
                  size="compact-sm"
                  variant="default"
                  c="var(--mantine-color-error)"
                  loading={revoke.isPending && revoke.variables.linkId === link.id}
                  aria-label={`Revoke ${link.name || 'untitled link'}`}
                  onClick={() => revoke.mutate({ linkId: link.id })}
                >
                  Revoke
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

const viewsOf = ({ views, maxViews }: ShareLink) =>
  maxViews === null ? `${formatCount(views)} ${views === 1 ? 'view' : 'views'}` : `${formatCount(views)} of ${formatCount(maxViews)} views`
