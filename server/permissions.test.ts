import { expect, it } from 'vitest'
import { hasPermission, requirePermission } from './context.ts'
import { isServiceError } from './errors.ts'
import { PERMISSIONS, type Permission, ROLE_NAMES, type Role, roleMay } from './permissions.ts'

const member = (role: Role) => ({ actor: { kind: 'user', userId: 'usr_1', email: 'a@example.com', role } as const })

/** The expected table, repeated here: permissions must not change by accident. */
const EXPECTED: Record<Permission, Role[]> = {
  'keys.change': ['OWNER', 'DEVELOPER'],
  'videos.change': ['OWNER', 'DEVELOPER'],
  'webhooks.change': ['OWNER', 'DEVELOPER'],
  'team.change': ['OWNER'],
  'billing.change': ['OWNER'],
  'settings.change': ['OWNER'],
  'account.delete': ['OWNER'],
}

it.each(Object.entries(EXPECTED) as [Permission, Role[]][])('%s belongs to %j', (permission, roles) => {
  for (const role of ROLE_NAMES) {
    expect(roleMay(role, permission), role).toBe(roles.includes(role))
    expect(hasPermission(member(role), permission)).toBe(roles.includes(role))
  }
})

it('has no permission that is missing in the list above', () => {
  expect(Object.keys(PERMISSIONS).sort()).toEqual(Object.keys(EXPECTED).sort())
})

it('names the roles that have the permission', () => {
  const words = (role: Role, permission: Permission) => {
    try {
      requirePermission(member(role), permission)
    } catch (error) {
      return isServiceError(error) && `${error.code}: ${error.message}`
    }
  }
  expect(words('VIEWER', 'keys.change')).toBe('FORBIDDEN: A Viewer cannot manage API keys. An Owner or a Developer of this account can.')
  expect(words('DEVELOPER', 'team.change')).toBe('FORBIDDEN: A Developer cannot manage the team. An Owner of this account can.')
  expect(words('OWNER', 'account.delete')).toBeUndefined()
})

it.each([
  { kind: 'key', keyId: 'key_1', scopes: [], environment: 'LIVE' } as const,
  { kind: 'support', userId: 'usr_1', email: 's@example.com' } as const,
  { kind: 'operator' } as const,
  { kind: 'system' } as const,
])('grants no member permission to $kind', (actor) => {
  for (const permission of Object.keys(PERMISSIONS) as Permission[]) expect(() => requirePermission({ actor }, permission)).toThrow()
})
