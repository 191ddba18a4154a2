import type { Metadata } from 'next'
import { Guide, Section } from '../_parts/Guide'

export const metadata: Metadata = { title: 'Sign in to the dashboard' }

export default function SigningIn() {
  return (
    <Guide
      href="/docs/signing-in"
      title="Sign in to the dashboard"
      lead="Set up two-factor sign-in, connect sign-in providers and manage sessions. API keys go on working."
    >
      <Section id="second-factor" title="Two-factor sign-in">
        <p>
          Under <b>Settings → Security</b>, scan the QR code with an authenticator app and enter the code it shows. Each sign-in then
          requires a code, including sign-ins through a provider. So do inviting a member, creating or rotating an API key, and adding a
          scope to one. A code works once and is valid for about a minute.
        </p>
        <p>
          An account can require two-factor sign-in for all members. You are then asked to set it up, and can continue in another account in
          the meantime.
        </p>
        <p>
          You get ten recovery codes, which are shown once. Use a recovery code to sign in without the app. Each code works once. When few
          codes are left, create new ones. The old codes then stop working.
        </p>
      </Section>
      <Section id="providers" title="GitHub, Google, single sign-on">
        <p>
          Buttons for these providers appear if the operator has configured them. If you are new and the provider has verified your email
          address, Reelgate creates an account. If a user with your email address exists, sign in as before and connect the provider under{' '}
          <b>Settings → Security</b>. A matching email address alone never gives access.
        </p>
      </Section>
      <Section id="password" title="Passwords">
        <p>
          Changing your password signs you out of all other devices. If you forgot it and email is configured, select “Forgot your
          password?”. We email you a link that works once, within one hour. Resetting the password signs you out of all devices. If your
          email address was not confirmed before, the page asks whether you set up two-factor sign-in and connected providers, and removes
          them if you did not.
        </p>
        <p>
          A new password must have at least ten characters. Leaked passwords, sequences of letters or digits, and passwords made from your
          email address are rejected.
        </p>
        <p>
          After many failed attempts, further attempts are delayed by up to 30 seconds. Other people’s failed attempts cannot lock you out:
          attempts from a browser in which you signed in before are counted separately.
        </p>
      </Section>
      <Section id="sessions" title="Sessions">
        <p>
          <b>Settings → Security</b> lists your sessions with device, IP address and last activity. “Sign out” ends a session immediately,
          including its open pages. A session expires after 30 days.
        </p>
      </Section>
      <Section id="emails" title="Security emails">
        <p>
          If email is configured, you receive an email after a sign-in on a new device, the use of a recovery code, a change of your
          password or second factor, or many failed sign-in attempts. The email contains the time, device and IP address. The audit log of
          your account contains the same events.
        </p>
      </Section>
      <Section id="deleting" title="Deleting an account">
        <p>
          Owners can delete the account under <b>Settings</b>. They confirm with the account name and their password. API keys stop working
          immediately, and media is deleted within minutes. Users who are not members of another account are deleted too. Deletion cannot be
          undone.
        </p>
      </Section>
    </Guide>
  )
}
