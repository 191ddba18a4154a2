import { useDeferredValue, useMemo } from 'react'
import { formatCount } from '../../../../../../_ui/format'
import { Table } from '../../../../../../_ui/Table'
import classes from './Conflicts.module.css'
import { type Cue, formatTime } from './cue-document'
import { type Difference, differences } from './differences'

/** As many are shown. */
const MOST = 100

interface Props {
  mine: readonly Cue[]
  theirs: readonly Cue[]
  /** Titles of their columns. */
  titles: readonly [mine: string, theirs: string]
}

/** Shows where two versions of the captions differ. */
export function Comparison({ mine, theirs, titles }: Props) {
  const shownMine = useDeferredValue(mine)
  const shownTheirs = useDeferredValue(theirs)
  const all = useMemo(() => differences(shownMine, shownTheirs), [shownMine, shownTheirs])
  if (all.length === 0) return <span>Both versions are the same.</span>
  return (
    <details className={classes.differences}>
      <summary>{all.length === 1 ? 'Show the difference' : `Show the ${formatCount(all.length)} differences`}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <section className={classes.versions} tabIndex={0} aria-label="Differences">
        <Table
          bare
          dense
          label="Differences"
          rows={all.slice(0, MOST)}
          keyOf={({ mine: own, theirs: other, startMs }) => `${startMs} ${own?.id} ${other?.id}`}
          columns={[
            { title: 'Time', cell: ({ startMs }: Difference) => formatTime(startMs), phone: 'title', width: 96 },
            { title: titles[0], cell: ({ mine: own, theirs: other }) => shown(own, other), phone: 'wide' },
            { title: titles[1], cell: ({ mine: own, theirs: other }) => shown(other, own), phone: 'wide' },
          ]}
        />
      </section>
      {all.length > MOST && <p className={classes.more}>And {formatCount(all.length - MOST)} more.</p>}
    </details>
  )
}

/** The end is shown where it alone differs, or differs as well. */
const shown = (cue: Cue | undefined, other: Cue | undefined) =>
  cue ? `${cue.text}${other && other.endMs !== cue.endMs ? ` (until ${formatTime(cue.endMs)})` : ''}` : '–'
