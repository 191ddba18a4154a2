'use client'

import { useDocumentVisibility } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { useSubscription } from '@trpc/tanstack-react-query'
import { useEffect, useRef } from 'react'
import { refetchAfterNotice, refetchWhenHydrated } from '../../../_trpc/answers'
import { useTRPC } from '../../../_trpc/client'
import { useReopened } from '../../../_trpc/use-reopened'

/** Keeps these pages in step with the database: refetches their queries on each change. */
export function LiveWebhooks() {
  const trpc = useTRPC()
  const client = useQueryClient()
  const visible = useDocumentVisibility() === 'visible'
  const failures = useRef(0)
  const heardAt = useRef(-Infinity)
  const onData = () => {
    failures.current = 0
    heardAt.current = performance.now()
    refetchAfterNotice(client, trpc.webhook.pathFilter())
  }
  const stream = useSubscription(trpc.webhook.watch.subscriptionOptions(undefined, { enabled: visible, onData }))
  useEffect(() => refetchWhenHydrated(client, trpc.webhook.pathFilter(), () => heardAt.current), [client, trpc])
  useReopened(stream, failures)
  return null
}
