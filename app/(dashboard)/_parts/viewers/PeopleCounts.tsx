'use client'

import { Skeleton } from '@mantine/core'
import { IconEyeOff } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '../../../_trpc/client'
import { formatCount } from '../../../_ui/format'
import { EmptyState } from '../../../_ui/page/EmptyState'
import { ErrorState } from '../../../_ui/page/ErrorState'

/** Says to support staff how many people watch, since they do not see whom. Of one video if `videoId` is given. */
export function PeopleCounts({ videoId }: { videoId?: string }) {
  const trpc = useTRPC()
  const { data, error, refetch } = useQuery(trpc.viewing.peopleCounts.queryOptions({ videoId }))
  if (error && !data) return <ErrorState message={error.message} requestId={error.data?.requestId} onRetry={() => void refetch()} />
  if (!data) return <Skeleton height={170} radius="lg" />
  const { people, most, sessions } = data
  const count = `${people > most ? `More than ${formatCount(most)}` : formatCount(people)} ${people === 1 ? 'person' : 'people'}`
  return (
    <EmptyState icon={<IconEyeOff size={20} />} title={count} framed>
      {formatCount(sessions)} {sessions === 1 ? 'session' : 'sessions'} now. Support staff see counts, not people.
    </EmptyState>
  )
}
