'use client'

import { useDocumentVisibility } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { useSubscription } from '@trpc/tanstack-react-query'
import { useEffect, useRef } from 'react'
import { askAnew, askWhenHydrated } from '../../../_trpc/answers'
import { useTRPC } from '../../../_trpc/client'

const LONGEST_WAIT_MS = 60_000

/** Keeps what these pages show as it is in the database: whenever something changes, what is on the page is asked for anew. */
export function LiveWebhooks() {
  const trpc = useTRPC()
  const client = useQueryClient()
  const visible = useDocumentVisibility() === 'visible'
  const failures = useRef(0)
  const heardAt = useRef(-Infinity)
  const onData = () => {
    failures.current = 0
    heardAt.current = performance.now()
    askAnew(client, trpc.webhook.pathFilter())
  }
  const { status, reset } = useSubscription(trpc.webhook.watch.subscriptionOptions(undefined, { enabled: visible, onData }))
  useEffect(() => askWhenHydrated(client, trpc.webhook.pathFilter(), () => heardAt.current), [client, trpc])
  useEffect(() => {
    if (status !== 'error') return
    const timer = setTimeout(reset, Math.min(LONGEST_WAIT_MS, 2_000 * 2 ** failures.current++))
    return () => clearTimeout(timer)
  }, [status, reset])
  return null
}
