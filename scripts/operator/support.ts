import { grantRole, listRoles, operatorCommand, revokeRole } from '../../server/modules/backoffice/operator/roles.ts'
import type { StaffRole } from '../../server/permissions.ts'
import type { Command } from './command.ts'

const unverified = { type: 'boolean', description: 'Allows a user whose email address is not verified. Verify it yourself first.' } as const

const TEXTS: Record<StaffRole, { is: string; pages: string; page: string }> = {
  support: { is: 'support staff', pages: 'support pages', page: '/support' },
  operator: { is: 'an operator', pages: 'operator console', page: '/operator' },
}

function granting(role: StaffRole): Command {
  const { is, pages, page } = TEXTS[role]
  return {
    name: `grant-${role}`,
    takes: ['email'],
    description: `Grants a user access to the ${pages} (${page})${role === 'operator' ? ' and the support pages' : ''}.`,
    options: { unverified },
    async run({ args: { email = '' }, options }, print) {
      const { granted } = await grantRole(operatorCommand(), { email, role, unverified: options.unverified === true })
      print(
        granted ? `${email} is now ${is}. The ${pages} ${role === 'operator' ? 'is' : 'are'} at ${page}.` : `${email} is already ${is}.`,
      )
      return 0
    },
  }
}

function revoking(role: StaffRole): Command {
  const { is, pages } = TEXTS[role]
  return {
    name: `revoke-${role}`,
    takes: ['email'],
    description: `Revokes a user’s access to the ${pages}, effective immediately.`,
    async run({ args: { email = '' } }, print) {
      await revokeRole(operatorCommand(), { email, role })
      print(`${email} is no longer ${is}.`)
      return 0
    },
  }
}

export const grantSupport = granting('support')
export const revokeSupport = revoking('support')
export const grantOperator = granting('operator')
export const revokeOperator = revoking('operator')

export const listSupport: Command = {
  name: 'list-support',
  description: 'Lists support staff and operators.',
  options: { all: { type: 'boolean', description: 'Includes former staff, with dates.' } },
  async run({ options }, print) {
    const staff = await listRoles(operatorCommand(), { former: options.all === true })
    if (staff.length === 0) print('There are no support staff.')
    const day = (date: Date) => `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`
    for (const { email, role, grantedAt, revokedAt } of staff)
      print(`${email}  ${role === 'operator' ? 'operator  ' : ''}since ${day(grantedAt)}${revokedAt ? `  until ${day(revokedAt)}` : ''}`)
    return 0
  },
}
