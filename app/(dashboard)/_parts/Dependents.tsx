'use client'

import { Group, Skeleton, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { formatCount } from '../../_ui/format'
import { Notice } from '../../_ui/Notice'
import classes from './Dependents.module.css'

interface Props {
  /** Undefined while it is counted. */
  count: number | undefined
  failed: boolean
  /** The unit, as words that follow the number. */
  unit: (count: number) => string
  /** The text for a count of zero. */
  none: string
  children?: ReactNode
}

/** Shows prominently how many things depend on what is about to be switched off. */
export function Dependents({ count, failed, unit, none, children }: Props) {
  if (failed) return <Notice tone="info">Could not load current usage.</Notice>
  return (
    <Group
      className={classes.box}
      data-busy={count ? true : undefined}
      gap={10}
      wrap="nowrap"
      role="status"
      aria-busy={count === undefined}
    >
      {count === undefined ? (
        <Skeleton height={18} width={190} />
      ) : count === 0 ? (
        <Text size="sm" c="dimmed">
          {none}
        </Text>
      ) : (
        <Text size="sm">
          <b className={classes.count}>{formatCount(count)}</b> {unit(count)}
          {children}
        </Text>
      )}
    </Group>
  )
}
