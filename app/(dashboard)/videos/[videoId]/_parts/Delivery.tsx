'use client'

import { useSuspenseQuery } from '@tanstack/react-query'
import { MAX_DAYS } from '#server/modules/analytics/limits'
import { type AskedRange, DAY_RANGES } from '#server/platform/text/day-ranges'
import { useTRPC } from '../../../../_trpc/client'
import { RangePicker } from '../../../../_ui/range/RangePicker'
import { useRange } from '../../../../_ui/range/use-range'
import { DeliveredPanel } from '../../../_parts/delivered/DeliveredPanel'
import { Renditions } from './Renditions'

/** Shows what is stored of a video, and the bytes that were delivered of it, by UTC day. */
export function Delivery({ videoId, initialRange }: { videoId: string; initialRange: AskedRange }) {
  const trpc = useTRPC()
  const { data: video } = useSuspenseQuery(trpc.video.get.queryOptions({ videoId }))
  const [range, setRange] = useRange(initialRange)
  return (
    <>
      <DeliveredPanel videoId={videoId} range={range}>
        <RangePicker size="xs" presets={DAY_RANGES} maxDays={MAX_DAYS} value={range} onChange={setRange} />
      </DeliveredPanel>
      <Renditions video={video} range={range} />
    </>
  )
}
