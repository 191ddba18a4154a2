import type { FormErrors } from '@mantine/form'
import { uploadInput } from '#server/modules/uploads/schema'
import { schemaErrors } from '../../../_ui/form/schema-errors'
import type { Draft } from './drafts'
import type { UploadDetails } from './options'

/** The upload form: titles by file; the other fields apply to all files. */
export interface UploadValues {
  drafts: Draft[]
  description: string
  targetQuality: string
  captions: string
  encrypted: boolean
}

/** Returns the details of each new upload; several files share no description. */
const detailsOf = ({ drafts, description, targetQuality }: UploadValues, { title }: Draft) => ({
  title: title.trim(),
  description: drafts.length === 1 ? description.trim() : '',
  targetQuality,
})

/** Returns what the form uploads: an upload that was begun keeps its details. */
export const uploadsOf = (values: UploadValues): { file: File; details: UploadDetails }[] =>
  values.drafts.map((draft) => ({
    file: draft.file,
    details: draft.begun ?? { ...detailsOf(values, draft), captions: values.captions, encrypted: String(values.encrypted) },
  }))

/** Returns the form's errors; the title of the second file is `drafts.1.title`. */
export function uploadErrors(values: UploadValues): FormErrors {
  const found = values.drafts.map((draft, at) => {
    if (draft.begun) return {}
    const { title, ...shared } = schemaErrors(uploadInput.safeParse(detailsOf(values, draft)))
    return { ...shared, [`drafts.${at}.title`]: title }
  })
  return Object.assign({ drafts: values.drafts.length === 0 && 'Choose a video file.' }, ...found)
}
