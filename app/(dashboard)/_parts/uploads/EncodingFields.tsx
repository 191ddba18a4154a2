import { Checkbox, Select, type SelectProps } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { QUALITIES } from '#server/modules/videos/schema'
import { CaptionsField } from './CaptionsField'

interface Values {
  targetQuality: string
  /** Empty: the account's setting counts. */
  captions: string
  encrypted: boolean
}

/** Renders the fields of an upload or an import that decide what is made of its file. */
export function EncodingFields<Form extends Values>({ form }: { form: Pick<UseFormReturnType<Form>, 'getInputProps'> }) {
  return (
    <>
      <TargetQuality {...form.getInputProps('targetQuality')} />
      <CaptionsField {...form.getInputProps('captions')} />
      <Checkbox
        label="Encrypt the segments"
        description="AES-128 with separate keys for each video and rendition, available only to playback sessions."
        {...form.getInputProps('encrypted', { type: 'checkbox' })}
      />
    </>
  )
}

/** Renders the field of the highest rendition that a file gets. */
export const TargetQuality = (props: SelectProps) => (
  <Select
    label="Target quality"
    description="The highest rendition to create. Never higher than the file itself."
    data={[...QUALITIES]}
    allowDeselect={false}
    checkIconPosition="right"
    {...props}
  />
)
