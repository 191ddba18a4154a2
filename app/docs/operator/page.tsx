import type { Metadata } from 'next'
import { Table } from '../../_ui/Table'
import { Guide, Section } from '../_parts/Guide'
import { Snippet } from '../_parts/Snippet'

export const metadata: Metadata = { title: 'Operator console' }

const PLACES = [
  [
    'Status',
    'Warnings with the steps to take, processes and versions, workers and queue, storage, database, backups and their last proof.',
  ],
  ['Settings', 'The settings in force and where each comes from. Secrets are shown as set or unset.'],
  ['Announcements', 'A text at the top of every dashboard for a time. Each user dismisses it once.'],
  ['Access', 'Who is support staff and who is operator.'],
  ['Log', 'Every change by operators, with who made it. Entries cannot be changed.'],
] as const

const COMMANDS = `npm run operator -- grant-operator you@example.com   # names the first operator
npm run operator -- status                           # exits with 1 for a serious warning
npm run operator -- help                             # lists all commands`

export default function Operator() {
  return (
    <Guide
      href="/docs/operator"
      title="Operator console"
      lead="For the owner of the installation: its state, what needs attention, and who may support its accounts."
    >
      <Section id="access" title="Get access">
        <p>
          The console is at <code>/operator</code>, with a link in the navigation of the dashboard. The first operator is named on the
          machine of the installation; further ones in the console. A second factor is required unless <code>STAFF_SECOND_FACTOR</code> is
          off. For all other users, the page does not exist.
        </p>
        <Snippet label="Shell" code={COMMANDS} />
      </Section>
      <Section id="pages" title="Pages">
        <Table
          label="Pages of the console"
          rows={PLACES}
          keyOf={([name]) => name}
          columns={[
            { title: 'Page', phone: 'wide', cell: ([name]) => <b>{name}</b> },
            { title: 'Content', phone: 'wide', cell: ([, content]) => content },
          ]}
        />
      </Section>
      <Section id="command" title="The command">
        <p>
          Everything that the console does has a command of the same name. What needs the files of the installation, or runs for hours, such
          as a restore, is a command only. Settings are changed in the environment of the processes, not in the console.
        </p>
      </Section>
      <Section id="support" title="Support">
        <p>
          Support staff find accounts, read their requests and deliveries, and change quotas and balances. Each access is in the{' '}
          <a href="/docs/team#audit-log">audit log</a> of the account. <b>View as owner</b> shows the dashboard of an account without a
          possibility to change it.
        </p>
      </Section>
    </Guide>
  )
}
