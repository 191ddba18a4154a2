import { env } from './config.ts'

/** Returns the contact for suspended users and accounts as plain text: SUPPORT_CONTACT, or a description if it is unset. */
export const supportContact = (): string => env().SUPPORT_CONTACT ?? 'the operator of this service'
