/** What a member may do beyond reading, in the words of a refusal. */
export const PERMISSIONS = {
  'keys.change': 'manage API keys',
  'videos.change': 'manage videos',
  'webhooks.change': 'manage webhooks',
  'team.change': 'manage the team',
  'billing.change': 'manage billing',
  'settings.change': 'change account settings',
  'account.delete': 'delete the account',
} as const satisfies Record<string, string>
export type Permission = keyof typeof PERMISSIONS

const DAILY_WORK = ['keys.change', 'videos.change', 'webhooks.change'] as const satisfies Permission[]

/**
 * The roles of members and their permissions. Use cases, the dashboard and the documentation read this table. Every role can read
 * everything.
 */
export const ROLES = {
  OWNER: {
    title: 'Owner',
    says: 'Full access, including the team, billing, settings, and deleting the account.',
    may: [...DAILY_WORK, 'team.change', 'billing.change', 'settings.change', 'account.delete'],
  },
  DEVELOPER: { title: 'Developer', says: 'Manages videos, API keys and webhooks. Can view everything else.', may: DAILY_WORK },
  VIEWER: { title: 'Viewer', says: 'Read-only access to everything.', may: [] },
} as const satisfies Record<string, { title: string; says: string; may: readonly Permission[] }>
export type Role = keyof typeof ROLES

/** A role in the installation. Operators also have support staff's access. */
export type StaffRole = 'support' | 'operator'

export const ROLE_NAMES = Object.keys(ROLES) as [Role, ...Role[]]

/** Returns whether members with this role have the permission. */
export const roleMay = (role: Role, permission: Permission): boolean => (ROLES[role].may as readonly Permission[]).includes(permission)

/** Says that a role lacks a permission, and which roles have it: `A Viewer cannot manage API keys. An Owner or a Developer can.` */
export function roleRefusal(role: Role, permission: Permission): string {
  const who = ROLE_NAMES.filter((name) => roleMay(name, permission)).map((name) => withArticle(ROLES[name].title))
  return `${withArticle(ROLES[role].title, true)} cannot ${PERMISSIONS[permission]}. ${capital(who.join(' or '))} of this account can.`
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
const withArticle = (noun: string, first = false) => {
  const words = `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`
  return first ? capital(words) : words
}
