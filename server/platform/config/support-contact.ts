import { env } from './config.ts'

/** Returns the contact for suspended users and accounts: SUPPORT_CONTACT, otherwise a description. Plain text. */
export const supportContact = (): string => env().SUPPORT_CONTACT ?? 'the operator of this service'
