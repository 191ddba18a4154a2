'use client'

import { Anchor, Checkbox, FileInput, Input, Modal, Select, Stack, Text, TextInput } from '@mantine/core'
import { type FormErrors, schemaResolver } from '@mantine/form'
import { IconFileText } from '@tabler/icons-react'
import { useRouter } from 'next/navigation'
import { useEffect, useState } from 'react'
import type { DashboardDetail } from '#server/modules/dashboard/get-video'
import { NOT_TEXT, textOfFile } from '#server/platform/text/text-file'
import { captionCount } from '../../../_parts/captions/caption-count'
import { Conflict } from '../../../_ui/form/Conflict'
import { conflictOf } from '../../../_ui/form/conflict-of'
import { DialogActions } from '../../../_ui/form/DialogActions'
import { FormError } from '../../../_ui/form/FormError'
import { showAtFields } from '../../../_ui/form/form-errors'
import { lazySchema } from '../../../_ui/form/lazy-schema'
import { useForm } from '../../../_ui/form/use-form'
import classes from './CaptionsDialog.module.css'
import { languageOfName } from './caption-language'
import { firstCues } from './first-cues'
import { LANGUAGES } from './languages'
import { useCaptions } from './use-captions'

type Listed = { name: string; label: string; cues: number } | null
interface Values {
  /** The file with the text. */
  text: File | null
  language: string | null
  label: string
  /** Whether the captions in this language are to be replaced. */
  replaces: boolean
}

/** Larger files are not read: a video may be chosen by mistake. */
const MAX_BYTES = 8 * 1024 ** 2
const TOO_LARGE = 'This file is too large for a captions file.'

/** Returns the text of a captions file; undefined for another file. */
const readFile = async (file: File | null) =>
  file && file.size <= MAX_BYTES ? textOfFile(new Uint8Array(await file.arrayBuffer())) : undefined

/** Returns what is sent. */
const entered = async ({ text: file, language, label }: Values) => ({ language: language ?? undefined, label, text: await readFile(file) })

const validate = schemaResolver(
  lazySchema(async () =>
    (await import('#server/modules/videos/schema')).putCaptionsInput.pick({ language: true, label: true, text: true }),
  ),
)
const describeCaptions = (listed: Listed) => (listed ? `${listed.label}, ${captionCount(listed.cues)}` : 'none')

/** Uploads a captions file with its language, which the file's name may state. Shows how it begins, and asks before it replaces captions. */
export function CaptionsDialog({ opened, onClose, video }: { opened: boolean; onClose: () => void; video: DashboardDetail }) {
  const form = useForm<Values>({
    initialValues: { text: null, language: null, label: '', replaces: false },
    async validate(values) {
      const sent = await entered(values)
      const errors: FormErrors = await validate(sent)
      if (values.text && sent.text === undefined) errors.text = values.text.size > MAX_BYTES ? TOO_LARGE : NOT_TEXT
      if (listedIn(values.language) && !values.replaces) errors.replaces = 'Select this to replace them, or choose another language.'
      return errors
    },
  })
  // The list when the dialog opened: the user has not seen later live changes.
  const [listed, setListed] = useState(video.captions)
  const listedIn = (language: string | null) => listed.find((one) => one.language === language) ?? null
  const [cues, setCues] = useState<ReturnType<typeof firstCues>>([])
  const { put } = useCaptions(video.id)
  const router = useRouter()

  // biome-ignore lint/correctness/useExhaustiveDependencies: emptied when it opens
  useEffect(() => {
    if (!opened) return
    put.reset()
    form.setValues({ text: null, language: null, label: '', replaces: false })
    form.clearErrors()
    setCues([])
    setListed(video.captions)
  }, [opened])

  const theirs = conflictOf<{ captions: Listed }>(put.error)
  const replaced = listedIn(form.values.language)
  const send = (expected: Listed) =>
    form.onSubmit(async (values) => {
      const { text = '', language = '', label } = await entered(values)
      put.mutate(
        { videoId: video.id, language, label, text, expected: expected && { name: expected.name, label: expected.label } },
        { onSuccess: onClose, onError: showAtFields(form) },
      )
    })
  const chooseLanguage = (language: string | null) => {
    form.setFieldValue('language', language)
    form.setFieldValue('replaces', false)
  }
  const write = () => {
    const { language } = form.values
    if (language) router.push(`/videos/${video.id}/captions/${language}`)
    else form.setFieldError('language', 'Choose the language of your captions.')
  }
  const chooseFile = async (file: File | null) => {
    form.setFieldValue('text', file)
    const language = file && languageOfName(file.name)
    if (language) chooseLanguage(language)
    setCues(firstCues((await readFile(file)) ?? '', 3))
  }

  return (
    <Modal opened={opened} onClose={onClose} title="Add captions">
      <form onSubmit={send(replaced)} noValidate>
        <Stack gap="md">
          <FormError error={theirs ? null : put.error} form={form} />
          <FileInput
            label="File"
            description="WebVTT (.vtt) or SubRip (.srt), saved as UTF-8. A name such as lesson.de.vtt sets the language."
            placeholder="Choose a file"
            accept=".vtt,.srt,text/vtt,application/x-subrip"
            leftSection={<IconFileText size={16} />}
            data-autofocus
            {...form.getInputProps('text')}
            onChange={(file) => void chooseFile(file)}
          />
          {cues.length > 0 && (
            <Input.Wrapper label="First captions" labelElement="div">
              <ol className={classes.cues} aria-label="First captions">
                {cues.map(({ at, words }) => (
                  <li key={`${at} ${words}`}>
                    <span>{at}</span> {words}
                  </li>
                ))}
              </ol>
            </Input.Wrapper>
          )}
          <Select
            label="Language"
            placeholder="Choose a language"
            data={LANGUAGES}
            searchable
            allowDeselect={false}
            nothingFoundMessage="No results"
            {...form.getInputProps('language')}
            onChange={chooseLanguage}
          />
          {replaced && !theirs && (
            <Checkbox
              label={`Replace the captions “${replaced.label}” (${captionCount(replaced.cues)})`}
              description="This video already has captions in this language."
              {...form.getInputProps('replaces', { type: 'checkbox' })}
            />
          )}
          <TextInput
            label="Label in the player menu"
            description="Optional. Defaults to the language’s own name."
            {...form.getInputProps('label')}
          />
          {theirs && (
            <Conflict
              fields={[{ title: 'Captions', mine: form.values.text?.name ?? '', theirs: describeCaptions(theirs.captions) }]}
              busy={form.submitting || put.isPending}
              onTakeTheirs={onClose}
              onKeepMine={send(theirs.captions)}
            />
          )}
          <Text size="sm" c="dimmed">
            No file?{' '}
            <Anchor component="button" type="button" inherit underline="always" onClick={write}>
              Write captions in the editor
            </Anchor>
          </Text>
          <DialogActions onCancel={onClose} loading={form.submitting || put.isPending}>
            {replaced ? 'Replace captions' : 'Add captions'}
          </DialogActions>
        </Stack>
      </form>
    </Modal>
  )
}
