import type { ActionName } from './audit-actions.ts'

/** What a person is mailed of an event that concerns them. */
export interface SecurityLetter {
  subject: string
  /** What happened, as one or two sentences. */
  text: string
  /** What to do about it. */
  advice: string
  /** Letters of this kind a person gets in 24 hours. */
  mostADay: number
  /** Of a counted event: how many times in one hour it takes. */
  from?: number
}

interface PersonEvent {
  about: 'person'
  level: 'info' | 'warn'
  /** In the audit log of each of the person's accounts: each time, counted by the hour, or in the log line alone. */
  entry: 'each' | 'counted' | 'none'
  letter?: SecurityLetter
}

interface AccountEvent {
  about: 'account'
  level: 'info' | 'warn'
}

const NOT_YOU = 'If this was you, there is nothing to do. If it was not, change your password and end your other sessions.'
const FACTOR = 'If this was not you, change your password now, and look at how you sign in.'

/**
 * What goes into the security log: the one table. `person` events are written by `recordSecurity` (server/modules/audit/security.ts) or, where an attacker
 * decides how often they happen, by `refused` (server/modules/audit/security-counters.ts); `account` events by `record`, as every change. A new one is a line here.
 */
export const SECURITY_EVENTS = {
  'user.sign-in': { about: 'person', level: 'info', entry: 'none' },
  'user.sign-in.refuse': {
    about: 'person',
    level: 'warn',
    entry: 'counted',
    letter: {
      subject: 'Wrong passwords were entered for your account',
      text: 'Several attempts to sign in as you were refused within an hour, because the password was wrong.',
      advice: 'Your password has not been guessed. If it is short or used elsewhere, choose another, and turn on two-factor sign-in.',
      mostADay: 1,
      from: 10,
    },
  },
  'user.proof.refuse': {
    about: 'person',
    level: 'warn',
    entry: 'counted',
    letter: {
      subject: 'Wrong passwords were entered in your settings',
      text: 'In a browser that is signed in as you, a change of your settings was refused several times, because the password was wrong.',
      advice: NOT_YOU,
      mostADay: 1,
      from: 5,
    },
  },
  'user.code.refuse': {
    about: 'person',
    level: 'warn',
    entry: 'counted',
    letter: {
      subject: 'Wrong second-factor codes were entered for your account',
      text: 'Your password was entered correctly, and then several wrong second-factor codes.',
      advice: 'If this was not you, another person knows your password: change it now.',
      mostADay: 2,
      from: 3,
    },
  },
  'user.device.new': {
    about: 'person',
    level: 'info',
    entry: 'each',
    letter: {
      subject: 'New sign-in to your account',
      text: 'Your account was signed in to on a new device.',
      advice: NOT_YOU,
      mostADay: 10,
    },
  },
  'user.recovery-code.use': {
    about: 'person',
    level: 'warn',
    entry: 'each',
    letter: {
      subject: 'A recovery code was used',
      text: 'One of your recovery codes was used in place of a code from your authenticator app.',
      advice: FACTOR,
      mostADay: 10,
    },
  },
  'user.password.change': {
    about: 'person',
    level: 'info',
    entry: 'each',
    letter: {
      subject: 'Your password was changed',
      text: 'Your password was changed in the settings. Other sessions have ended.',
      advice: 'If this was not you, choose another with “Forgot password” on the sign-in page.',
      mostADay: 3,
    },
  },
  'user.password.reset': {
    about: 'person',
    level: 'warn',
    entry: 'each',
    letter: {
      subject: 'Your password was reset',
      text: 'Your password was reset with a link. All sessions have ended.',
      advice: 'If this was not you, the mailbox may be open to another person: secure it, then choose another password.',
      mostADay: 3,
    },
  },
  'user.totp.on': {
    about: 'person',
    level: 'info',
    entry: 'each',
    letter: {
      subject: 'Two-factor sign-in is on',
      text: 'Two-factor sign-in was turned on for your account.',
      advice: FACTOR,
      mostADay: 3,
    },
  },
  'user.totp.off': {
    about: 'person',
    level: 'warn',
    entry: 'each',
    letter: {
      subject: 'Two-factor sign-in is off',
      text: 'Two-factor sign-in was turned off for your account.',
      advice: FACTOR,
      mostADay: 3,
    },
  },
  'user.recovery-codes.renew': {
    about: 'person',
    level: 'info',
    entry: 'each',
    letter: {
      subject: 'Your recovery codes were replaced',
      text: 'Ten new recovery codes were made. The ones before them no longer work.',
      advice: FACTOR,
      mostADay: 3,
    },
  },
  'user.identity.connect': {
    about: 'person',
    level: 'info',
    entry: 'each',
    letter: {
      subject: 'A way to sign in was connected',
      text: 'Another way to sign in was connected to your account.',
      advice: FACTOR,
      mostADay: 3,
    },
  },
  'user.identity.disconnect': {
    about: 'person',
    level: 'info',
    entry: 'each',
    letter: {
      subject: 'A way to sign in was disconnected',
      text: 'A way to sign in was disconnected from your account.',
      advice: FACTOR,
      mostADay: 3,
    },
  },
  'user.session.end': { about: 'person', level: 'info', entry: 'each' },
  'key.create': { about: 'account', level: 'info' },
  'key.rotate': { about: 'account', level: 'info' },
  'key.restrict': { about: 'account', level: 'info' },
  'key.disable': { about: 'account', level: 'info' },
  'key.enable': { about: 'account', level: 'info' },
  'key.revoke': { about: 'account', level: 'info' },
  'team.invite': { about: 'account', level: 'info' },
  'team.join': { about: 'account', level: 'info' },
  'team.role': { about: 'account', level: 'info' },
  'team.remove': { about: 'account', level: 'info' },
  'webhook.rotate': { about: 'account', level: 'info' },
  'support.view': { about: 'account', level: 'info' },
  'support.quota': { about: 'account', level: 'info' },
} as const satisfies { [Name in ActionName]?: PersonEvent | AccountEvent } & { 'user.sign-in': PersonEvent }

export type SecurityEventName = keyof typeof SECURITY_EVENTS
type Named<Part> = { [Name in SecurityEventName]: (typeof SECURITY_EVENTS)[Name] extends Part ? Name : never }[SecurityEventName]
/** Events of a person that are entered in the audit log each time. */
export type RecordedEvent = Named<{ about: 'person'; entry: 'each' }>
/** Events that an attacker can cause at will, and that are counted by the hour. */
export type CountedEvent = Named<{ entry: 'counted' }>

/** How an event is handled; undefined for what is no security event. */
export const securityEvent = (name: string): PersonEvent | AccountEvent | undefined =>
  Object.hasOwn(SECURITY_EVENTS, name) ? SECURITY_EVENTS[name as SecurityEventName] : undefined

/** What a person is mailed of an event; undefined when nothing. */
export const letterOf = (name: string): SecurityLetter | undefined => {
  const event = securityEvent(name)
  return event?.about === 'person' ? event.letter : undefined
}
