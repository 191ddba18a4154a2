import type { Metadata } from 'next'
import { INVITATION_DAYS, MAX_PEOPLE } from '#server/modules/accounts/member-limits'
import { PERMISSIONS, type Permission, ROLE_NAMES, ROLES, roleMay } from '#server/permissions'
import { Table } from '../../_ui/Table'
import { Guide, Section } from '../_parts/Guide'

export const metadata: Metadata = { title: 'Team and audit log' }

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
const RIGHTS = (Object.keys(PERMISSIONS) as Permission[]).map((permission) => ({
  permission,
  description: capital(PERMISSIONS[permission]),
}))

export default function TeamGuide() {
  return (
    <Guide href="/docs/team" title="Team and audit log" lead="Manage the members of an account, what they can do, and see what they did.">
      <Section id="roles" title="Roles">
        <p>
          All members can view everything in the account except secrets, which are shown once. The role of a member decides what the member
          can change.
        </p>
        <Table
          label="Permissions by role"
          rows={RIGHTS}
          keyOf={({ permission }) => permission}
          columns={[
            { title: 'Permission', phone: 'wide', cell: ({ description }) => description },
            ...ROLE_NAMES.map((role) => ({
              title: ROLES[role].title,
              cell: ({ permission }: { permission: Permission }) => (roleMay(role, permission) ? 'Yes' : 'No'),
            })),
          ]}
        />
        <p>
          An account always has an owner: the last owner cannot leave or change roles. A role change takes effect with the next request.
        </p>
      </Section>
      <Section id="invitations" title="Invitations">
        <p>
          Owners invite people by email address under <a href="/team">Team</a>. If email is configured, Reelgate emails the link and does
          not show it. The list of invitations shows whether the mail server accepted the email. Select “Resend” to send a new link. If
          email is not configured, the link is shown once for you to copy. The link works once, for {INVITATION_DAYS} days, and only for the
          invited address. New users choose a password; existing users sign in and accept. Inviting the same address again creates a new
          link and invalidates the old one. An account can have {MAX_PEOPLE} members, including pending invitations. If the operator allows
          new users only through single sign-on, new users sign in there first and then accept.
        </p>
        <p>
          A removed member loses access with the next request, and open pages stop updating. API keys that the member created remain in the
          account and keep working. Revoke the keys that the member knows.
        </p>
      </Section>
      <Section id="second-factor" title="Require two-factor sign-in">
        <p>
          Owners who use <a href="/docs/signing-in">two-factor sign-in</a> can require it for all members under <a href="/team">Team</a>.
          Members without it keep their role, but must set it up before they can use the account again. Sessions through single sign-on
          satisfy the requirement, because that provider checks its own second factor. Sessions through GitHub and Google do not. API keys
          are not affected.
        </p>
      </Section>
      <Section id="accounts" title="Multiple accounts">
        <p>
          A user can be a member of several accounts. Switch accounts at the top of the navigation, or with ⌘K (Ctrl K). Each browser
          session uses one account at a time. A tab that still shows another account cannot make changes and shows a message.
        </p>
      </Section>
      <Section id="audit-log" title="Audit log">
        <p>
          <a href="/team/audit-log">Team → Audit log</a> lists every change: the actor (a member, an API key, support staff, the operator or
          Reelgate), the time, the subject, and the values before and after. Entries are written in the same transaction as the change and
          cannot be edited. Consecutive views by one member of support staff are one row, with a link to each of them. Filter by actor,
          action and date (UTC), and export the result as CSV or JSON. The log is kept as long as the account, within its{' '}
          <a href="/docs/limits#rows">limits</a>. In the CSV, text that a spreadsheet would run as a formula is escaped.
        </p>
      </Section>
    </Guide>
  )
}
