import { Select, type SelectProps } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '../../../_trpc/client'
import { LANGUAGES } from '../videos/languages'

/** Renders the field of the captions that a new video gets from its speech, which shows the account's setting until it is changed. */
export function CaptionsField({ value, ...props }: SelectProps) {
  const trpc = useTRPC()
  const { data } = useQuery(trpc.account.settings.queryOptions())
  if (!data || data.speechOff) return null
  const { autoCaptions, speechLanguages } = data
  const spoken = LANGUAGES.filter((one) => !speechLanguages || speechLanguages.includes(one.value.split('-')[0] ?? ''))
  return (
    <Select
      label="Generate captions"
      description="From the speech, once the video is complete."
      data={[
        { value: 'none', label: 'No' },
        { value: 'auto', label: 'Yes, detect the language' },
        { group: 'Yes, the language is', items: spoken },
      ]}
      searchable
      allowDeselect={false}
      nothingFoundMessage="No results"
      checkIconPosition="right"
      value={value || (autoCaptions ? 'auto' : 'none')}
      {...props}
    />
  )
}
