'use client'

import { Anchor } from '@mantine/core'
import type { Viewers } from '#server/modules/analytics/viewing/viewers-report'
import { formatCount } from '../../../_ui/format'
import { Link } from '../../../_ui/Link'
import { RankedBars } from '../../../_ui/RankedBars'
import type { Measure } from '../../_parts/viewers/Breakdowns'
import { formatMinutes } from '../../_parts/viewers/format-minutes'

/** Lists the most played videos of the period. */
export function TopVideos({ report: { videos, totals }, measure }: { report: Viewers; measure: Measure }) {
  const rows = videos
    .filter((video) => video[measure] > 0)
    .sort((a, b) => b[measure] - a[measure])
    .map(({ videoId, title, isDeleted, ...video }) => ({
      id: videoId,
      label: (
        <>
          <Anchor component={Link} href={`/videos/${videoId}`} inherit>
            {title}
          </Anchor>
          {isDeleted && ' (deleted)'}
        </>
      ),
      value: video[measure],
    }))
  const format = measure === 'plays' ? formatCount : (minutes: number) => `${formatMinutes(minutes)} min`
  return <RankedBars label="Top videos" rows={rows} total={totals[measure]} format={format} empty="None in this period." />
}
