import { env } from './config.ts'

/** Returns whom suspended people and accounts are to ask: SUPPORT_CONTACT, else words. Plain text. */
export const supportContact = (): string => env().SUPPORT_CONTACT ?? 'the operator of this service'
