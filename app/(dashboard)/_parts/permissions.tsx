'use client'

import { createContext, type ReactNode, useContext } from 'react'
import { type Permission, type Role, roleMay } from '#server/permissions'

const RoleContext = createContext<{ role: Role; suspended: boolean } | undefined>(undefined)

/** Tells the parts below which role looks at them, and whether the account is suspended. */
export function PermissionsProvider({ role, suspended, children }: { role: Role; suspended: boolean; children: ReactNode }) {
  return <RoleContext.Provider value={{ role, suspended }}>{children}</RoleContext.Provider>
}

/** Whether whoever looks may do this; what they may not do is not shown to them. The server asks again. */
export function useMay(permission: Permission): boolean {
  const viewer = useContext(RoleContext)
  if (!viewer || (viewer.suspended && permission !== 'account.delete')) return false
  return roleMay(viewer.role, permission)
}
