import { Skeleton, Stack } from '@mantine/core'
import type { ReactNode } from 'react'

interface Props {
  /** Width of the title, in pixels. */
  title: number
  /** Width of the sentence below it, in pixels. */
  text?: number
  rows?: number
  /** What the page has instead of a list. */
  children?: ReactNode
}

/** Reserves the place of a page's title and its list. */
export function PageSkeleton({ title, text = 420, rows = 5, children }: Props) {
  return (
    <Stack gap="lg" role="status" aria-busy="true" aria-label="Loading">
      <div>
        <Skeleton height={28} width={title} />
        <Skeleton height={16} width={`min(${text}px, 80%)`} mt={10} />
      </div>
      {children ?? (
        <Stack gap={8}>
          {Array.from({ length: rows }, (_, row) => `row ${row}`).map((row) => (
            <Skeleton key={row} height={52} />
          ))}
        </Stack>
      )}
    </Stack>
  )
}

/** Reserves the place of a page with tabs: its title (as wide as given, in pixels), the tabs, and one surface. */
export function TabSkeleton({ title }: { title: number }) {
  return (
    <PageSkeleton title={title}>
      <Skeleton height={38} width="min(420px, 100%)" />
      <Skeleton height={320} />
    </PageSkeleton>
  )
}
