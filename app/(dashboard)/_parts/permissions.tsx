'use client'

import { createContext, type ReactNode, useContext } from 'react'
import { type Permission, type Role, roleMay } from '#server/permissions'

const RoleContext = createContext<{ role: Role; suspended: boolean; readOnly: boolean } | undefined>(undefined)

interface Props {
  role: Role
  suspended: boolean
  /** Whether support staff view the account as its owner. */
  readOnly: boolean
  children: ReactNode
}

/** Provides the member's role, and whether the account is suspended or only viewed, to the components below. */
export function PermissionsProvider({ role, suspended, readOnly, children }: Props) {
  return <RoleContext.Provider value={{ role, suspended, readOnly }}>{children}</RoleContext.Provider>
}

/** Returns a function that reports whether the member has a permission; actions without it are hidden. The server checks again. */
export function usePermissions(): (permission: Permission) => boolean {
  const viewer = useContext(RoleContext)
  return (permission) => {
    if (!viewer || viewer.readOnly || (viewer.suspended && permission !== 'account.delete')) return false
    return roleMay(viewer.role, permission)
  }
}

/** Returns whether the member has this permission. */
export const useMay = (permission: Permission): boolean => usePermissions()(permission)

/** Returns whether pages show media and offer signed receipts: not to support staff who view the account as its owner. */
export const useShowsContent = (): boolean => useContext(RoleContext)?.readOnly === false
