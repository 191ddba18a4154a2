import { grantSupport as grant, listSupport as list, revokeSupport as revoke } from '../../server/modules/support/staff-grants.ts'
import type { Command } from './commands.ts'

export const grantSupport: Command = {
  name: 'grant-support',
  takes: ['email'],
  description: 'Lets a person who has signed up see the support pages (/support).',
  options: {
    unproven: { type: 'boolean', description: 'Also where no mail has shown that the address is theirs. Make sure of it yourself.' },
  },
  async run({ args: { email = '' }, options }, say) {
    const { granted } = await grant({ email, unproven: options.unproven === true })
    say(granted ? `${email} is support staff now. The pages are at /support.` : `${email} was support staff already.`)
    return 0
  },
}

export const revokeSupport: Command = {
  name: 'revoke-support',
  takes: ['email'],
  description: 'Takes the support pages from a person, at once.',
  async run({ args: { email = '' } }, say) {
    await revoke({ email })
    say(`${email} is not support staff any more.`)
    return 0
  },
}

export const listSupport: Command = {
  name: 'list-support',
  description: 'Lists the support staff.',
  options: { all: { type: 'boolean', description: 'Also those who were, and from when to when.' } },
  async run({ options }, say) {
    const staff = await list({ former: options.all === true })
    if (staff.length === 0) say('Nobody is support staff.')
    const day = (date: Date) => `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`
    for (const { email, grantedAt, revokedAt } of staff)
      say(`${email}  since ${day(grantedAt)}${revokedAt ? `  until ${day(revokedAt)}` : ''}`)
    return 0
  },
}
