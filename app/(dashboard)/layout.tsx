import type { ReactNode } from 'react'
import { requireSession } from '../_auth'
import { DashboardFrame } from './DashboardFrame'

export default async function DashboardLayout({ children }: { children: ReactNode }) {
  return <DashboardFrame ctx={await requireSession('/')}>{children}</DashboardFrame>
}
