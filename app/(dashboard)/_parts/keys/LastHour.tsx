'use client'

import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '../../../_trpc/client'
import { formatCount } from '../../../_ui/format'
import { Dependents } from '../Dependents'

/** Shows what a key was used for in the last hour, in the dialogs that switch it off. */
export function LastHour({ keyId, opened }: { keyId: string; opened: boolean }) {
  const trpc = useTRPC()
  const { data, isError } = useQuery(trpc.traffic.keyLastHour.queryOptions({ keyId }, { enabled: opened, staleTime: 10_000 }))
  return (
    <Dependents
      count={data?.requests}
      failed={isError}
      unit={(count) => `${count === 1 ? 'request' : 'requests'} with this key in the last hour`}
      none="No requests with this key in the last hour."
    >
      {data && data.tokens > 0 && (
        <>
          , <b>{formatCount(data.tokens)}</b> for playback tokens
        </>
      )}
    </Dependents>
  )
}
