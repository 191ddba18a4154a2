'use client'

import { PageError, type PageErrorProps } from './_ui/PageError'

export default function RootError(props: PageErrorProps) {
  return <PageError {...props} />
}
