import { expect, test } from 'vitest'
import type { TimelineEvent } from '#server/modules/backoffice/support/timeline-sources'
import { foldViews } from './fold-views'

const event = (minute: number, fields: Partial<TimelineEvent> = {}): TimelineEvent => ({
  id: `e${minute}`,
  kind: 'support',
  at: new Date(Date.UTC(2026, 10, 24, 0, minute)),
  actor: 'ada@example.com',
  what: 'viewed the account',
  subject: null,
  detail: 'keys',
  ...fields,
})

test('page views of one member of staff are one event, until something else happens', () => {
  const other = event(5, { kind: 'webhooks', what: 'Webhook delivery failed:', actor: null })
  const views = [event(9, { detail: 'billing' }), event(8), event(7)]
  const byAnother = event(4, { actor: 'grace@example.com' })
  expect(foldViews([...views, other, byAnother, event(3), event(-1)])).toEqual([
    { ...event(9), detail: '3 pages: billing, keys' },
    other,
    byAnother,
    event(3),
    event(-1),
  ])
})
