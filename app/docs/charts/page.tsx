import type { Metadata } from 'next'
import { Table } from '../../_ui/Table'
import { Guide, Section } from '../_parts/Guide'

export const metadata: Metadata = { title: 'Charts' }

const KEYS = [
  ['← →', 'Read the value of the period before or after.'],
  ['Shift and ← →', 'Select several periods.'],
  ['Enter', 'Open what is behind the selection, such as its requests.'],
] as const

export default function Charts() {
  return (
    <Guide href="/docs/charts" title="Charts" lead="How the charts of the dashboard count, compare and lead to what is behind them.">
      <Section id="periods" title="Periods">
        <p>
          Days and hours are those of UTC, like quotas and statements. The period that runs is hatched in bars and dashed in lines: its
          count is not complete yet. A period without requests is a zero in counts and a gap in latency, since there was nothing to measure.
          Every axis begins at zero.
        </p>
      </Section>
      <Section id="comparison" title="Comparison">
        <p>
          The faint line is the period before, of the same length, and the difference is next to the total. The running period is left out
          on both sides, because a day that has only begun cannot be compared with a whole one.
        </p>
      </Section>
      <Section id="counts" title="What is counted">
        <p>
          A figure has one value on all pages: the overview, <a href="/docs/request-log#usage">Usage</a> and the support pages read the same
          counters. Requests are those with a valid key, and exchanges of playback tokens. Errors are requests with a status of 400 or
          above; their rate has a chart of its own. Counts are exact; the <a href="/docs/request-log#sampling">request log</a> is a sample.
        </p>
      </Section>
      <Section id="behind" title="Open what is behind a chart">
        <p>Choose a bar, or drag over several, to open the requests of these periods. With the keyboard, focus the chart:</p>
        <Table
          label="Keys"
          rows={KEYS}
          keyOf={([keys]) => keys}
          columns={[
            { title: 'Keys', phone: 'wide', cell: ([keys]) => <code>{keys}</code> },
            { title: 'Effect', phone: 'wide', cell: ([, effect]) => effect },
          ]}
        />
        <p>Each chart is also a table, for screen readers and for copying values.</p>
      </Section>
    </Guide>
  )
}
