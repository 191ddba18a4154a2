'use client'

import { createContext, type ReactNode, useContext } from 'react'
import { type Permission, type Role, roleMay } from '#server/permissions'

const RoleContext = createContext<{ role: Role; suspended: boolean } | undefined>(undefined)

/** Provides the member's role, and whether the account is suspended, to the components below. */
export function PermissionsProvider({ role, suspended, children }: { role: Role; suspended: boolean; children: ReactNode }) {
  return <RoleContext.Provider value={{ role, suspended }}>{children}</RoleContext.Provider>
}

/** Returns whether the member has this permission; actions without it are hidden. The server checks again. */
export function useMay(permission: Permission): boolean {
  const viewer = useContext(RoleContext)
  if (!viewer || (viewer.suspended && permission !== 'account.delete')) return false
  return roleMay(viewer.role, permission)
}
