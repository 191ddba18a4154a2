import { ActionIcon, TextInput } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { formatBytes } from '../../../_ui/format'
import classes from './DraftList.module.css'
import type { Draft } from './drafts'

interface Props {
  drafts: Draft[]
  /** Messages by the drafts' keys. */
  problems: Record<string, string>
  onTitle: (key: string, title: string) => void
  onRemove: (key: string) => void
}

/** Lists the chosen files with the titles of their videos. */
export function DraftList({ drafts, problems, onTitle, onRemove }: Props) {
  return (
    <ul className={classes.list} aria-label="Selected files">
      {drafts.map(({ key, file, title, begun }) => (
        <li key={key} className={classes.row}>
          <TextInput
            className={classes.field}
            label={drafts.length === 1 ? 'Title' : undefined}
            aria-label={drafts.length === 1 ? undefined : `Title of ${file.name}`}
            value={title}
            readOnly={begun !== undefined}
            error={problems[key]}
            onChange={(event) => onTitle(key, event.currentTarget.value)}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            className={classes.remove}
            aria-label={`Remove ${file.name}`}
            onClick={() => onRemove(key)}
          >
            <IconX size={16} />
          </ActionIcon>
          <div className={classes.note}>
            <span className={classes.name}>{file.name}</span>
            <span>{formatBytes(file.size)}</span>
            {begun && <span className={classes.begun}>Upload in progress. Resumes where it stopped.</span>}
          </div>
        </li>
      ))}
    </ul>
  )
}
