import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { isOpen } from '../../../../_parts/processing/TranscriptionList'
import { useTRPC } from '../../../../_trpc/client'

const REFETCH_MS = 3_000
/** While nothing is transcribed: a request of the API has no notice of its own. */
const IDLE_MS = 15_000

/** Returns the requests for captions from speech that are open, and the last one if it gave no captions. */
export function useTranscriptions(videoId: string) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const { data } = useQuery(
    trpc.video.processing.queryOptions(
      { videoId },
      { refetchInterval: ({ state }) => (state.data?.transcriptions.some(isOpen) ? REFETCH_MS : IDLE_MS) },
    ),
  )
  const all = data?.transcriptions ?? []
  const ended = all.filter((one) => !isOpen(one)).length
  const known = useRef(ended)
  useEffect(() => {
    if (known.current !== ended) {
      void client.invalidateQueries(trpc.video.get.queryFilter({ videoId }))
      void client.invalidateQueries(trpc.video.log.queryFilter({ videoId }))
    }
    known.current = ended
  }, [client, trpc, videoId, ended])
  return all.filter((one, at) => isOpen(one) || (at === 0 && one.state !== 'completed'))
}
