import { Skeleton, Stack } from '@mantine/core'

/** Reserves the place of a heading and a table. */
export function TableSkeleton({ rows }: { rows: number }) {
  return (
    <Stack gap="lg" role="status" aria-busy="true" aria-label="Loading">
      <div>
        <Skeleton height={28} width={150} />
        <Skeleton height={16} width="min(420px, 80%)" mt={10} />
      </div>
      <Stack gap={8}>
        {Array.from({ length: rows }, (_, row) => `row ${row}`).map((row) => (
          <Skeleton key={row} height={52} />
        ))}
      </Stack>
    </Stack>
  )
}
