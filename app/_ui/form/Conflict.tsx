'use client'

import { Button, Group } from '@mantine/core'
import { IconGitMerge } from '@tabler/icons-react'
import classes from './Conflict.module.css'

interface Props {
  fields: { title: string; mine: string; theirs: string }[]
  busy: boolean
  /** Continues from the current version. */
  onTakeTheirs: () => void
  /** Saves the entered version over the current one. */
  onKeepMine: () => void
}

/** Shows both versions after a concurrent edit and lets the user choose one. Keeps both until then. */
export function Conflict({ fields, busy, onTakeTheirs, onKeepMine }: Props) {
  return (
    <section className={classes.conflict} role="alert">
      <div className={classes.head}>
        <IconGitMerge size={16} />
        This was changed while you were editing
      </div>
      {fields
        .filter(({ mine, theirs }) => mine !== theirs)
        .map(({ title, mine, theirs }) => (
          <dl key={title} className={classes.versions}>
            <div>
              <dt>Current {title.toLowerCase()}</dt>
              <dd>{theirs || 'empty'}</dd>
            </div>
            <div>
              <dt>Your {title.toLowerCase()}</dt>
              <dd>{mine || 'empty'}</dd>
            </div>
          </dl>
        ))}
      <Group gap="xs">
        <Button size="xs" variant="default" onClick={onTakeTheirs}>
          Discard my changes
        </Button>
        <Button size="xs" loading={busy} onClick={onKeepMine}>
          Overwrite
        </Button>
      </Group>
    </section>
  )
}
