import type { Metadata } from 'next'
import { sampleData } from '#server/events'
import { Table } from '../../_ui/Table'
import { Guide, Section } from '../_parts/Guide'
import { Snippet } from '../_parts/Snippet'

export const metadata: Metadata = { title: 'Notifications' }

const KINDS = [
  {
    what: 'Daily quota of a key',
    unit: 'Percent of the quota, 1 to 100',
    event: 'quota.threshold_reached',
    again: 'The next UTC day. Also after the quota was raised, when the key has used the same share of it.',
  },
  { what: 'Spending', unit: 'Credits in a UTC month', event: 'spend.threshold_reached', again: 'The next UTC month.' },
  {
    what: 'Storage',
    unit: 'Percent of the storage limit, or gigabytes',
    event: 'storage.threshold_reached',
    again: 'After the storage was below the threshold.',
  },
]

const SAMPLE = JSON.stringify(
  {
    eventId: 'evt_9fQ2Lk7gB1xVnKpD3mWz5T',
    eventType: 'quota.threshold_reached',
    createdAt: '2026-11-21T14:03:12.481Z',
    data: sampleData('quota.threshold_reached', new Date('2026-11-21T14:03:12Z')),
  },
  null,
  2,
)

export default function NotificationsGuide() {
  return (
    <Guide
      href="/docs/notifications"
      title="Notifications"
      lead="Choose at which share of a quota, amount of spending and size of storage the account is notified, by email and by webhook."
    >
      <Section id="choose" title="Choose thresholds">
        <p>
          An owner sets them under <a href="/settings/notifications">Settings, Notifications</a>: up to five of each kind, separated by
          commas. Every member can see them. The <a href="/docs/team">audit log</a> records each change.
        </p>
        <Table
          label="Kinds of thresholds"
          rows={KINDS}
          keyOf={({ what }) => what}
          columns={[
            { title: 'Threshold', cell: ({ what }) => what, phone: 'wide' },
            { title: 'Unit', cell: ({ unit }) => unit },
            { title: 'Event', cell: ({ event }) => <code>{event}</code>, phone: 'wide' },
            { title: 'Reported again', cell: ({ again }) => again, phone: 'wide' },
          ]}
        />
        <p>
          Keys that succeed each other by rotation count together. Test keys are not reported. Storage includes unfinished uploads, and
          deleted videos for the 7 days in which they can be restored.
        </p>
      </Section>
      <Section id="when" title="When notifications are sent">
        <p>
          Values are compared every minute. Each threshold is reported once in its period. When several of one key, of spending or of
          storage were crossed since the last comparison, there is an event for each and one email that names all of them. A threshold that
          is already reached when you set it is reported within a minute. A removed threshold is reported no more; one that you set again is
          new.
        </p>
        <p>
          Quotas and caps do not depend on notifications: a key stops at its quota at once, and <code>playback.token.exhausted</code> is
          sent at that moment.
        </p>
      </Section>
      <Section id="email" title="Emails">
        <p>
          Choose the members who get them. Members who leave the account get no more. Emails need a mail server that the operator has
          configured. An email that the mail server refuses is tried again for several minutes. A process that is killed after the mail
          server has accepted an email and before that is stored sends it again.
        </p>
      </Section>
      <Section id="webhooks" title="Webhooks">
        <p>
          Subscribe an <a href="/webhooks">endpoint</a> to the events. They are delivered, signed and retried like{' '}
          <a href="/docs/webhooks">all other events</a>.
        </p>
        <Snippet label="JSON" code={SAMPLE} />
      </Section>
    </Guide>
  )
}
