import { Button, Group, SegmentedControl } from '@mantine/core'
import { IconChartLine, IconTable } from '@tabler/icons-react'

interface Props<Days extends number> {
  /** The periods to choose from, in days. */
  ranges: readonly { value: string; label: string }[]
  days: Days
  onDays: (days: Days) => void
  asTable: boolean
  onToggle: () => void
}

/** Renders the controls at the right of a panel of charts: the number of days, and charts or the table of the same numbers. */
export function ReportControls<Days extends number>({ ranges, days, onDays, asTable, onToggle }: Props<Days>) {
  return (
    // The basis decides whether they take their own line: their width depends on the font, which may arrive after the first layout.
    <Group gap="xs" wrap="nowrap" justify="flex-end" flex="1 1 280px">
      <SegmentedControl
        size="xs"
        aria-label="Days"
        data={[...ranges]}
        value={String(days)}
        onChange={(value) => onDays(Number(value) as Days)}
      />
      <Button
        size="compact-sm"
        variant="default"
        leftSection={asTable ? <IconChartLine size={14} /> : <IconTable size={14} />}
        onClick={onToggle}
      >
        {asTable ? 'Charts' : 'Table'}
      </Button>
    </Group>
  )
}
