'use client'

import { createContext, type ReactNode, useContext } from 'react'
import { type Permission, type Role, roleMay } from '#server/roles'

const RoleContext = createContext<Role | undefined>(undefined)

/** Tells the parts below which role looks at them. */
export function PermissionsProvider({ role, children }: { role: Role; children: ReactNode }) {
  return <RoleContext.Provider value={role}>{children}</RoleContext.Provider>
}

/** Whether whoever looks may do this; what they may not do is not shown to them. The server asks again. */
export function useMay(permission: Permission): boolean {
  const role = useContext(RoleContext)
  return role !== undefined && roleMay(role, permission)
}
