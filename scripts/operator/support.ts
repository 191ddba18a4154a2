import { grantSupport as grant, listSupport as list, revokeSupport as revoke } from '../../server/modules/support/staff-grants.ts'
import type { Command } from './command.ts'

export const grantSupport: Command = {
  name: 'grant-support',
  takes: ['email'],
  description: 'Grants a user access to the support pages (/support).',
  options: {
    unverified: { type: 'boolean', description: 'Allows a user whose email address is not verified. Verify it yourself first.' },
  },
  async run({ args: { email = '' }, options }, print) {
    const { granted } = await grant({ email, unverified: options.unverified === true })
    print(granted ? `${email} is now support staff. The support pages are at /support.` : `${email} is already support staff.`)
    return 0
  },
}

export const revokeSupport: Command = {
  name: 'revoke-support',
  takes: ['email'],
  description: 'Revokes the access of a user to the support pages, effective immediately.',
  async run({ args: { email = '' } }, print) {
    await revoke({ email })
    print(`${email} is no longer support staff.`)
    return 0
  },
}

export const listSupport: Command = {
  name: 'list-support',
  description: 'Lists the support staff.',
  options: { all: { type: 'boolean', description: 'Includes former support staff, with dates.' } },
  async run({ options }, print) {
    const staff = await list({ former: options.all === true })
    if (staff.length === 0) print('There is no support staff.')
    const day = (date: Date) => `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`
    for (const { email, grantedAt, revokedAt } of staff)
      print(`${email}  since ${day(grantedAt)}${revokedAt ? `  until ${day(revokedAt)}` : ''}`)
    return 0
  },
}
