'use client'

import { Anchor } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { QualityCodec, QualitySummary } from '#server/modules/quality-receipts/schema'
import { useTRPC } from '../../../../_trpc/client'
import { DownloadButton } from '../../../../_ui/DownloadButton'
import { formatDuration } from '../../../../_ui/format'
import { Panel } from '../../../../_ui/Panel'
import { useShowsContent } from '../../../_parts/permissions'
import classes from './Quality.module.css'
import { describeQuality, formatScore, qualityCells } from './quality-strip'

/** Cells that are distinguishable at the width of a phone. */
const MOST_CELLS = 80
const POLL_MS = 20_000

/** Shows how well each rendition in a codec shows its source over the length of the video, and offers the receipt. Nothing without a receipt. */
export function Quality({ videoId, codec }: { videoId: string; codec: QualityCodec }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const shows = useShowsContent()
  const { data } = useQuery(
    trpc.video.quality.queryOptions(
      { videoId, codec },
      { refetchInterval: ({ state }) => (state.data?.state === 'measuring' ? POLL_MS : false) },
    ),
  )
  if (!data || data.state === 'none') return null
  const load = () => client.fetchQuery(trpc.video.qualityReceipt.queryOptions({ videoId, codec }, { staleTime: 0, retry: false }))
  const isReady = data.state === 'ready'
  return (
    <Panel
      title={codec === 'av1' ? 'Quality in AV1' : 'Quality'}
      action={
        isReady &&
        shows && (
          <DownloadButton load={load} what="receipt" about={codec === 'av1' ? 'AV1' : undefined}>
            Download receipt
          </DownloadButton>
        )
      }
    >
      {isReady ? <Scores summary={data} /> : <p className={classes.text}>{progressOf(data)}</p>}
    </Panel>
  )
}

const progressOf = ({ chunks, chunksDone }: QualitySummary) =>
  `How closely each rendition shows the original is measured while nothing is transcoded: ${chunksDone} of ${chunks} ${chunks === 1 ? 'part' : 'parts'} so far.`

function Scores({ summary }: { summary: QualitySummary }) {
  const { renditions, parts, display } = summary
  const reason = renditions.find(({ notMeasured }) => notMeasured !== null)?.notMeasured
  return (
    <>
      <p className={classes.text}>
        {display
          ? `VMAF against the source, 0 to 100, for a sample of pictures at ${display.width} × ${display.height}.`
          : `The receipt states how the video was encoded and its hashes. Pictures were not compared. ${reason ?? ''}`}{' '}
        <Anchor href="/docs/quality" size="sm" underline="always">
          About quality receipts
        </Anchor>
      </p>
      {display && (
        <ul className={classes.list}>
          {renditions.map((rendition) => (
            <Rendition key={rendition.quality} rendition={rendition} parts={parts} />
          ))}
        </ul>
      )}
      {display && (
        <div className={classes.axis} aria-hidden="true">
          <span>0:00</span>
          <span>{formatDuration(parts.at(-1)?.endSec ?? 0)}</span>
        </div>
      )}
      {display && reason && <p className={classes.text}>Parts without a score: {reason}</p>}
    </>
  )
}

function Rendition({ rendition, parts }: { rendition: QualitySummary['renditions'][number]; parts: QualitySummary['parts'] }) {
  const { quality, vmaf, chunks } = rendition
  const cells = qualityCells(parts, chunks, MOST_CELLS)
  return (
    <li className={classes.rendition}>
      <b className={classes.name}>{quality}</b>
      <div className={classes.strip} role="img" aria-label={describeQuality(rendition, cells)} data-dense={cells.length > 40 || undefined}>
        {cells.map(({ startSec, endSec, scores, label }) => (
          <span
            key={startSec}
            className={classes.cell}
            data-none={scores === null || undefined}
            title={label}
            style={{ flexGrow: endSec - startSec }}
          >
            {scores && <span className={classes.mean} style={{ height: `${scores.mean}%` }} />}
            {scores && <span className={classes.low} style={{ height: `${scores.p5}%` }} />}
          </span>
        ))}
      </div>
      <span className={classes.scores}>
        {vmaf ? (
          <>
            <b>{formatScore(vmaf.mean)}</b> mean, {formatScore(vmaf.p5)} 5th percentile, {formatScore(vmaf.min)} min
          </>
        ) : (
          'not measured'
        )}
      </span>
    </li>
  )
}
