import { notFound } from 'next/navigation'
import type { ReactNode } from 'react'
import { currentSession } from '../_auth'
import { DashboardFrame } from '../(dashboard)/DashboardFrame'

/** Lays out the page of a missing address. A visitor gets the plain one: a sign-in would not make it exist. */
export default async function MissingLayout({ children }: { children: ReactNode }) {
  const session = await currentSession()
  if (!session || session.owesSecondFactor) notFound()
  return <DashboardFrame ctx={session.ctx}>{children}</DashboardFrame>
}
