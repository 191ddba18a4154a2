import { Group, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

/** Renders the header of a page: its title, its purpose in one line, its primary action at the right. */
export function PageHeader({ title, purpose, action }: { title: ReactNode; purpose: ReactNode; action?: ReactNode }) {
  return (
    <Group component="header" justify="space-between" align="flex-start" gap="md" mb="lg" wrap="wrap">
      <div style={{ minWidth: 0, flex: '1 1 16rem' }}>
        <Title order={1}>{title}</Title>
        <Text c="dimmed" mt={2} maw="44rem" style={{ textWrap: 'pretty' }}>
          {purpose}
        </Text>
      </div>
      {action}
    </Group>
  )
}
