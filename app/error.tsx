'use client'

import { PageError, type PageErrorProps } from './_ui/page/PageError'

export default function RootError(props: PageErrorProps) {
  return <PageError {...props} />
}
