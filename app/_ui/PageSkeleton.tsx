import { Skeleton, Stack } from '@mantine/core'

/** Reserves the place of a page's title (as wide as given, in pixels) and its list. */
export function PageSkeleton({ title }: { title: number }) {
  return (
    <Stack gap="lg" role="status" aria-busy="true" aria-label="Loading">
      <div>
        <Skeleton height={28} width={title} />
        <Skeleton height={16} width="min(420px, 80%)" mt={10} />
      </div>
      <Stack gap={8}>
        {['a', 'b', 'c', 'd', 'e'].map((row) => (
          <Skeleton key={row} height={52} />
        ))}
      </Stack>
    </Stack>
  )
}

/** Reserves the place of a page with tabs: its title (as wide as given, in pixels), the tabs, and one surface. */
export function TabSkeleton({ title }: { title: number }) {
  return (
    <Stack gap="lg" role="status" aria-busy="true" aria-label="Loading">
      <div>
        <Skeleton height={28} width={title} />
        <Skeleton height={16} width="min(420px, 80%)" mt={10} />
      </div>
      <Skeleton height={38} width="min(420px, 100%)" />
      <Skeleton height={320} />
    </Stack>
  )
}
