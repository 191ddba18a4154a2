import { SegmentedControl } from '@mantine/core'

interface Props<Days extends number> {
  /** The periods to choose from, in days. */
  ranges: readonly { value: string; label: string }[]
  days: Days
  onDays: (days: Days) => void
}

/** Renders the choice of the number of days, at the right of a panel of charts. */
export function ReportControls<Days extends number>({ ranges, days, onDays }: Props<Days>) {
  return (
    <SegmentedControl
      size="xs"
      aria-label="Days"
      data={[...ranges]}
      value={String(days)}
      onChange={(value) => onDays(Number(value) as Days)}
    />
  )
}
