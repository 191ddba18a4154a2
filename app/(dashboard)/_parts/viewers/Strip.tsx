'use client'

import { Tooltip } from '@mantine/core'
import type { Watched } from '#server/modules/dashboard/people/people'
import classes from './Strip.module.css'
import { namedSpans, percentOf, watchedText } from './watched-text'

const EVENTS = { hover: true, focus: true, touch: true }

/** Shows which seconds of a video a viewer has watched, and where playback last was. */
export function Strip({ progress }: { progress: Watched }) {
  const { spans, durationSec, positionSec } = progress
  return (
    <div className={classes.strip}>
      <Tooltip label={spans.length > 0 ? namedSpans(spans) : 'Nothing yet'} events={EVENTS} multiline maw={300}>
        <svg
          className={classes.track}
          viewBox={`0 0 ${Math.max(1, durationSec)} 1`}
          preserveAspectRatio="none"
          role="img"
          aria-label={watchedText(progress)}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: focus shows the tooltip, which names the parts
          tabIndex={0}
        >
          {spans.map(([from, to]) => (
            <rect key={from} className={classes.watched} x={from} width={to - from} height={1} />
          ))}
          <line className={classes.here} x1={positionSec} x2={positionSec} y1={0} y2={1} />
        </svg>
      </Tooltip>
      <span className={classes.percent} aria-hidden="true">
        {percentOf(progress)}
      </span>
    </div>
  )
}
