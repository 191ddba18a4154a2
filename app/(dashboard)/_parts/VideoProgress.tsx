import { Progress, Text } from '@mantine/core'
import { formatWait } from '../../_ui/format'

/** Shows the progress of transcoding; `etaSec` is null until there is data for an estimate. */
export function VideoProgress({ progress, etaSec }: { progress: number; etaSec: number | null }) {
  return (
    <div style={{ minWidth: 110, maxWidth: 220 }}>
      <Progress value={progress} size={4} radius="xl" transitionDuration={300} aria-label="Transcoding progress" />
      <Text size="xs" c="dimmed" mt={4} style={{ fontVariantNumeric: 'tabular-nums' }}>
        {progress}%{etaSec !== null && `, ${formatWait(etaSec)} left`}
      </Text>
    </div>
  )
}
