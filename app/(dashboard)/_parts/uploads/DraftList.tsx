import { ActionIcon, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { IconX } from '@tabler/icons-react'
import { formatBytes } from '../../../_ui/format'
import classes from './DraftList.module.css'
import type { UploadValues } from './upload-form'

/** Lists the chosen files with the titles of their videos. */
export function DraftList({ form }: { form: UseFormReturnType<UploadValues> }) {
  const { drafts } = form.values
  return (
    <ul className={classes.list} aria-label="Selected files">
      {drafts.map(({ key, file, begun }, at) => (
        <li key={key} className={classes.row}>
          <TextInput
            className={classes.field}
            label={drafts.length === 1 ? 'Title' : undefined}
            aria-label={drafts.length === 1 ? undefined : `Title of ${file.name}`}
            readOnly={begun !== undefined}
            {...form.getInputProps(`drafts.${at}.title`)}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            className={classes.remove}
            aria-label={`Remove ${file.name}`}
            onClick={() => form.removeListItem('drafts', at)}
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
