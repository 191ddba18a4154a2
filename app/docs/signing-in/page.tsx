import type { Metadata } from 'next'
import { Guide, Section } from '../_parts/Guide'

export const metadata: Metadata = { title: 'Signing in to the dashboard' }

export default function SigningIn() {
  return (
    <Guide
      href="/docs/signing-in"
      title="Signing in to the dashboard"
      lead="Two steps instead of one, other ways in, and how to be signed out somewhere else. None of it concerns API keys."
    >
      <Section id="second-factor" title="Two-factor sign-in">
        <p>
          Under Settings, Security, scan the QR code with an authenticator app and enter a code it shows. From then on signing in asks for
          one, also through a provider. A code works once, for about a minute.
        </p>
        <p>An account may require it of every member: then you are led to set it up, and can go on in another account meanwhile.</p>
        <p>
          You get ten recovery codes, shown once. Each lets you in once without the app. When few are left, make new ones: the old ones are
          then worth nothing.
        </p>
      </Section>
      <Section id="providers" title="GitHub, Google, single sign-on">
        <p>
          Buttons for these appear where the operator has set them up. If you are new, and the provider has verified your e-mail, you get an
          account. If there is a user with your e-mail already, sign in as before and connect the provider under Settings, Security: an
          e-mail alone never makes anybody you.
        </p>
      </Section>
      <Section id="password" title="Passwords">
        <p>
          Changing yours signs you out everywhere else. If you forgot it and the installation sends mail, “Forgot your password?” mails you
          a link that works once, within an hour; using it signs you out everywhere. If your address was never confirmed before, the page
          asks whether two-factor sign-in and connected providers are yours, and removes them if not.
        </p>
        <p>
          A new password has at least ten characters. One that is in lists of leaked passwords, a run of letters or digits, or made of your
          own e-mail address is refused: attackers try these first.
        </p>
        <p>
          Where many wrong tries were made, the next ones wait for their turn, half a minute at most. Nobody can lock you out by guessing: a
          browser in which you signed in before has tries of its own.
        </p>
      </Section>
      <Section id="sessions" title="Where you are signed in">
        <p>
          Settings, Security lists each place with device, address and when it was last seen. “Sign out” there works at once, on pages that
          stand open as well. A session ends by itself after 30 days.
        </p>
      </Section>
      <Section id="letters" title="What you hear of by mail">
        <p>
          Where the installation sends mail, you get a letter when your account is signed in to on a new device, when a recovery code is
          used, when your password or your second factor changes, and when many wrong passwords or codes were entered. It says when, on
          which device and from which address. The same is in the audit log of your account.
        </p>
      </Section>
      <Section id="deleting" title="Deleting an account">
        <p>
          An owner can delete the account under Settings, with its name and their password. Keys stop at once, media goes within minutes,
          and members who are in no other account are no users any more. Nothing brings it back.
        </p>
      </Section>
    </Guide>
  )
}
