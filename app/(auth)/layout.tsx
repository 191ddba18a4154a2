import type { ReactNode } from 'react'
import { TrpcProvider } from '../_trpc/client'

export default function AuthLayout({ children }: { children: ReactNode }) {
  return <TrpcProvider>{children}</TrpcProvider>
}
