import type { ReactNode } from 'react'
import OperatorLayout from '../../../operator/layout'

export default function MissingLayout({ children }: { children: ReactNode }) {
  return <OperatorLayout>{children}</OperatorLayout>
}
