import type { Processing } from '#server/modules/transcoding/tasks/processing-schema'
import { formatCount, formatDuration } from '../../_ui/format'
import classes from './ChunkStrip.module.css'
import { cellsOf, countsOf, describeChunks, STATES } from './strip'

/** Cells that are distinguishable at the width of a phone. */
const MOST_CELLS = 80

/** Draws the chunks of a video in order, as wide as they are long, with a legend that counts them. */
export function ChunkStrip({ chunks, nameOf }: { chunks: Processing['chunks']; nameOf: (label: string) => string }) {
  const cells = cellsOf(chunks, MOST_CELLS, nameOf)
  const end = chunks.at(-1)?.endSec ?? 0
  return (
    <div>
      <div className={classes.strip} role="img" aria-label={describeChunks(chunks)} data-dense={cells.length > 40 || undefined}>
        {cells.map(({ startSec, endSec, state, progress, label }) => (
          <span key={startSec} className={classes.cell} data-state={state} title={label} style={{ flexGrow: endSec - startSec }}>
            {state !== 'done' && progress > 0 && <span className={classes.fill} style={{ width: `${progress * 100}%` }} />}
          </span>
        ))}
      </div>
      <div className={classes.axis} aria-hidden="true">
        <span>0:00</span>
        <span>{formatDuration(end)}</span>
      </div>
      <ul className={classes.legend} aria-label="Chunks by state">
        <li>
          {formatCount(chunks.length)} {chunks.length === 1 ? 'chunk' : 'chunks'}
        </li>
        {countsOf(chunks).map(([state, count]) => (
          <li key={state}>
            <i className={classes.swatch} data-state={state} />
            <b>{formatCount(count)}</b> {STATES[state]}
          </li>
        ))}
      </ul>
    </div>
  )
}
