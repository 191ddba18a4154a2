import type { ActionName } from './audit-actions.ts'

/** The email that a user receives about a security event. */
export interface SecurityMailTemplate {
  subject: string
  /** What happened, in one or two sentences. */
  text: string
  /** What to do about it. */
  advice: string
  /** Maximum number of emails of this kind to one user in 24 hours. */
  maxPerDay: number
  /** For a counted event: how many occurrences within one hour trigger the email. */
  from?: number
}

interface PersonEvent {
  about: 'person'
  level: 'info' | 'warn'
  /** How the event enters the audit log of each of the user's accounts: per occurrence, as an hourly count, or in the log line only. */
  entry: 'each' | 'counted' | 'none'
  mail?: SecurityMailTemplate
}

interface AccountEvent {
  about: 'account'
  level: 'info' | 'warn'
}

const NOT_YOU = 'If this was you, you can ignore this email. If not, change your password and sign out of your other sessions.'
const FACTOR = 'If this was not you, change your password now and review your sign-in methods.'

/**
 * Every security event. `recordSecurity` (server/modules/audit/security.ts) writes `person` events; where an attacker controls how often
 * they occur, `refused` (server/modules/audit/security-counters.ts) does. `record` writes `account` events, as for every change. A new
 * event is a line here.
 */
export const SECURITY_EVENTS = {
  'user.sign-in': { about: 'person', level: 'info', entry: 'none' },
  'user.sign-in.refuse': {
    about: 'person',
    level: 'warn',
    entry: 'counted',
    mail: {
      subject: 'Wrong passwords were entered for your account',
      text: 'Several attempts to sign in to your account within an hour used a wrong password.',
      advice:
        'None of these attempts succeeded. If your password is short, or if you use it elsewhere, change it and enable two-factor sign-in.',
      maxPerDay: 1,
      from: 10,
    },
  },
  'user.proof.refuse': {
    about: 'person',
    level: 'warn',
    entry: 'counted',
    mail: {
      subject: 'Wrong passwords were entered in your settings',
      text: 'Someone using a browser that is signed in to your account tried to change your settings, and entered a wrong password several times.',
      advice: NOT_YOU,
      maxPerDay: 1,
      from: 5,
    },
  },
  'user.code.refuse': {
    about: 'person',
    level: 'warn',
    entry: 'counted',
    mail: {
      subject: 'Wrong two-factor codes were entered for your account',
      text: 'Someone entered your correct password, then several wrong two-factor codes.',
      advice: 'If this was not you, someone else knows your password. Change it now.',
      maxPerDay: 2,
      from: 3,
    },
  },
  'user.device.new': {
    about: 'person',
    level: 'info',
    entry: 'each',
    mail: {
      subject: 'New sign-in to your account',
      text: 'Someone signed in to your account on a new device.',
      advice: NOT_YOU,
      maxPerDay: 10,
    },
  },
  'user.recovery-code.use': {
    about: 'person',
    level: 'warn',
    entry: 'each',
    mail: {
      subject: 'A recovery code was used',
      text: 'Someone used one of your recovery codes in place of a code from your authenticator app.',
      advice: FACTOR,
      maxPerDay: 10,
    },
  },
  'user.password.change': {
    about: 'person',
    level: 'info',
    entry: 'each',
    mail: {
      subject: 'Your password was changed',
      text: 'Your password was changed in your settings, and all other sessions were signed out.',
      advice: 'If this was not you, reset your password with “Forgot your password?” on the sign-in page.',
      maxPerDay: 3,
    },
  },
  'user.password.reset': {
    about: 'person',
    level: 'warn',
    entry: 'each',
    mail: {
      subject: 'Your password was reset',
      text: 'Your password was reset with a link, and all sessions were signed out.',
      advice: 'If this was not you, someone may have access to your mailbox. Secure it, then change your password.',
      maxPerDay: 3,
    },
  },
  'user.totp.on': {
    about: 'person',
    level: 'info',
    entry: 'each',
    mail: {
      subject: 'Two-factor sign-in was enabled',
      text: 'Two-factor sign-in was enabled for your account.',
      advice: FACTOR,
      maxPerDay: 3,
    },
  },
  'user.totp.off': {
    about: 'person',
    level: 'warn',
    entry: 'each',
    mail: {
      subject: 'Two-factor sign-in was disabled',
      text: 'Two-factor sign-in was disabled for your account.',
      advice: FACTOR,
      maxPerDay: 3,
    },
  },
  'user.recovery-codes.renew': {
    about: 'person',
    level: 'info',
    entry: 'each',
    mail: {
      subject: 'Your recovery codes were replaced',
      text: 'Ten new recovery codes were generated. The old codes no longer work.',
      advice: FACTOR,
      maxPerDay: 3,
    },
  },
  'user.identity.connect': {
    about: 'person',
    level: 'info',
    entry: 'each',
    mail: {
      subject: 'A sign-in provider was connected',
      text: 'A sign-in provider was connected to your account.',
      advice: FACTOR,
      maxPerDay: 3,
    },
  },
  'user.identity.disconnect': {
    about: 'person',
    level: 'info',
    entry: 'each',
    mail: {
      subject: 'A sign-in provider was disconnected',
      text: 'A sign-in provider was disconnected from your account.',
      advice: FACTOR,
      maxPerDay: 3,
    },
  },
  'user.session.end': { about: 'person', level: 'info', entry: 'each' },
  'key.create': { about: 'account', level: 'info' },
  'key.rotate': { about: 'account', level: 'info' },
  'key.restrict': { about: 'account', level: 'info' },
  'key.scopes': { about: 'account', level: 'info' },
  'key.disable': { about: 'account', level: 'info' },
  'key.enable': { about: 'account', level: 'info' },
  'key.revoke': { about: 'account', level: 'info' },
  'team.invite': { about: 'account', level: 'info' },
  'team.join': { about: 'account', level: 'info' },
  'team.role': { about: 'account', level: 'info' },
  'team.remove': { about: 'account', level: 'info' },
  'webhook.rotate': { about: 'account', level: 'info' },
  'support.view': { about: 'account', level: 'info' },
  'support.view-as.begin': { about: 'account', level: 'info' },
  'support.view-as.end': { about: 'account', level: 'info' },
  'support.quota': { about: 'account', level: 'info' },
} as const satisfies { [Name in ActionName]?: PersonEvent | AccountEvent } & { 'user.sign-in': PersonEvent }

export type SecurityEventName = keyof typeof SECURITY_EVENTS
type Named<Part> = { [Name in SecurityEventName]: (typeof SECURITY_EVENTS)[Name] extends Part ? Name : never }[SecurityEventName]
/** Events of a user that enter the audit log at each occurrence. */
export type RecordedEvent = Named<{ about: 'person'; entry: 'each' }>
/** Events that an attacker can trigger at will, counted by the hour. */
export type CountedEvent = Named<{ entry: 'counted' }>

/** Returns how an event is handled. Undefined for a name that is not a security event. */
export const securityEvent = (name: string): PersonEvent | AccountEvent | undefined =>
  Object.hasOwn(SECURITY_EVENTS, name) ? SECURITY_EVENTS[name as SecurityEventName] : undefined

/** Returns the email about an event. Undefined when there is none. */
export const mailTemplateOf = (name: string): SecurityMailTemplate | undefined => {
  const event = securityEvent(name)
  return event?.about === 'person' ? event.mail : undefined
}
