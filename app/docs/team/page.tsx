import type { Metadata } from 'next'
import { INVITATION_DAYS, MAX_PEOPLE } from '#server/modules/accounts/member-limits'
import { PERMISSIONS, type Permission, ROLE_NAMES, ROLES, roleMay } from '#server/permissions'
import { Table } from '../../_ui/Table'
import { Guide, Section } from '../_parts/Guide'

export const metadata: Metadata = { title: 'Team and audit log' }

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
const RIGHTS = (Object.keys(PERMISSIONS) as Permission[]).map((permission) => ({ permission, words: capital(PERMISSIONS[permission]) }))

export default function TeamGuide() {
  return (
    <Guide href="/docs/team" title="Team and audit log" lead="Who works in an account, what each of them may do, and what they did.">
      <Section id="roles" title="Roles">
        <p>
          Every member looks at everything in the account, but for secrets: nobody is shown those twice. What they may do follows from their
          role.
        </p>
        <Table
          label="What each role may do"
          rows={RIGHTS}
          keyOf={({ permission }) => permission}
          columns={[
            { title: 'May', phone: 'wide', cell: ({ words }) => words },
            ...ROLE_NAMES.map((role) => ({
              title: ROLES[role].title,
              cell: ({ permission }: { permission: Permission }) => (roleMay(role, permission) ? 'Yes' : 'No'),
            })),
          ]}
        />
        <p>
          An account always has an owner: the last one can neither leave nor be given another role. A change of role counts from the next
          request.
        </p>
      </Section>
      <Section id="invitations" title="Invitations">
        <p>
          An owner invites an e-mail address under <a href="/team">Team</a>. Where mail is set up the link is sent there and shown on no
          page; the list of invitations says whether the mail server has taken it, and “Resend” mails another. Elsewhere the link is shown
          once, to be copied. It works once, for {INVITATION_DAYS} days, and only for the person with that address: a new person chooses a
          password, others sign in and accept. Inviting the same address again makes a new link, and the old one opens nothing any more. An
          account has room for {MAX_PEOPLE} people, open invitations included. Where the operator takes new people through single sign-on
          alone, they sign in there first and then accept.
        </p>
        <p>
          Somebody who is removed loses access with their next request, and the pages they have open stop moving. API keys they generated
          belong to the account and go on working: revoke those they know.
        </p>
      </Section>
      <Section id="second-factor" title="Require two-factor sign-in">
        <p>
          An owner who uses <a href="/docs/signing-in">two-factor sign-in</a> can require it of every member under <a href="/team">Team</a>.
          Members without it keep their role, are led to set it up with their next click, and reach nothing else of the account until they
          have. Sessions through single sign-on count, since that provider asks for its own second factor; those through GitHub and Google
          do not. API keys go on working.
        </p>
      </Section>
      <Section id="accounts" title="Several accounts">
        <p>
          A person may belong to many accounts and goes from one to another at the top of the navigation, or with ⌘K (Ctrl K). Each
          signed-in browser works in one account at a time. A tab that still shows another one changes nothing and says so.
        </p>
      </Section>
      <Section id="audit-log" title="Audit log">
        <p>
          <a href="/team/audit-log">Team → Audit log</a> lists every change: who made it (a member, an API key, support staff, the operator,
          or Reelgate itself), when, to what, and what was there before. Entries are written in the transaction that makes the change, and
          cannot be edited. Filter by person, action and UTC days; export what you see as CSV or JSON. Text that a spreadsheet would run as
          a formula is made harmless in the CSV.
        </p>
      </Section>
    </Guide>
  )
}
