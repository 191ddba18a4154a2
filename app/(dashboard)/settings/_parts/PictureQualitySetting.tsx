'use client'

import { Button, Group, NumberInput, Radio, Stack } from '@mantine/core'
import { schemaResolver } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { PictureQuality, VmafNumbers } from '#server/modules/identity/accounts/quality-schema'
import { useTRPC } from '../../../_trpc/client'
import { Conflict } from '../../../_ui/form/Conflict'
import { conflictOf } from '../../../_ui/form/conflict-of'
import { FormError } from '../../../_ui/form/FormError'
import { showAtFields } from '../../../_ui/form/form-errors'
import { lazySchema } from '../../../_ui/form/lazy-schema'
import { useForm } from '../../../_ui/form/use-form'
import { Notice } from '../../../_ui/Notice'

const TEXTS = {
  economy: ['Economy', 'Smallest files. On a large screen, you can see differences from the original.'],
  standard: ['Standard', 'Differences from the original are hard to see.'],
  high: ['High', 'Closest to the original. Larger files to store and deliver.'],
  numbers: ['Custom', 'Your own VMAF targets for the highest rendition.'],
} as const
type Choice = keyof typeof TEXTS
/** Those of the standard picture quality, from which a choice in numbers begins. */
const STANDARD: VmafNumbers = { vmafMean: 93, vmafP5: 88 }

const validate = schemaResolver(lazySchema(async () => (await import('#server/modules/identity/accounts/quality-schema')).vmafNumbers))

const choiceOf = (quality: PictureQuality): Choice => (typeof quality === 'string' ? quality : 'numbers')
const numbersOf = (quality: PictureQuality): VmafNumbers => (typeof quality === 'string' ? STANDARD : quality)
const titleOf = (quality: PictureQuality) =>
  typeof quality === 'string' ? TEXTS[quality][0] : `VMAF ${quality.vmafMean}, 5th percentile ${quality.vmafP5}`
const areEqual = (one: PictureQuality, other: PictureQuality) => titleOf(one) === titleOf(other)

/** Sets how good the encoded pictures of new videos shall be. */
export function PictureQualitySetting({ pictureQuality, mayChange }: { pictureQuality: PictureQuality; mayChange: boolean }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const [choice, setChoice] = useState(choiceOf(pictureQuality))
  const [expected, setExpected] = useState(pictureQuality)
  const form = useForm<VmafNumbers>({ initialValues: numbersOf(pictureQuality), validate })
  const change = useMutation(
    trpc.account.setPictureQuality.mutationOptions({
      onSuccess: async (_, { pictureQuality }) => {
        setExpected(pictureQuality)
        await client.invalidateQueries(trpc.account.settings.pathFilter())
        notifications.show({ message: 'Saved. Applies to videos that start processing from now on.', withBorder: true })
      },
      onError: showAtFields(form),
    }),
  )
  const theirs = conflictOf<{ pictureQuality: PictureQuality }>(change.error)?.pictureQuality
  const show = (quality: PictureQuality) => {
    change.reset()
    setExpected(quality)
    setChoice(choiceOf(quality))
    form.setValues(numbersOf(quality))
  }
  const wanted: PictureQuality = choice === 'numbers' ? form.values : choice
  const send = (expected: PictureQuality) => {
    const save = (quality: PictureQuality) => change.mutate({ pictureQuality: quality, expected })
    if (choice === 'numbers') form.onSubmit(save)()
    else save(choice)
  }
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        send(expected)
      }}
    >
      <Stack gap="md">
        {!mayChange && <Notice tone="info">Only an owner can change this.</Notice>}
        <Radio.Group
          label="Picture quality"
          description="We choose each video’s bitrate to reach this quality. Applies to videos that start processing from now on."
          value={choice}
          onChange={(value) => setChoice(value as Choice)}
        >
          <Stack gap="sm" mt="sm">
            {(Object.entries(TEXTS) as [Choice, readonly [string, string]][]).map(([value, [label, description]]) => (
              <Radio key={value} value={value} label={label} description={description} disabled={!mayChange} />
            ))}
          </Stack>
        </Radio.Group>
        {choice === 'numbers' && (
          <Group align="flex-start" gap="md" grow>
            <NumberInput
              label="Mean"
              description="60 to 98"
              decimalScale={1}
              step={0.5}
              disabled={!mayChange}
              {...form.getInputProps('vmafMean')}
            />
            <NumberInput
              label="5th percentile"
              description="40 to the mean"
              decimalScale={1}
              step={0.5}
              disabled={!mayChange}
              {...form.getInputProps('vmafP5')}
            />
          </Group>
        )}
        <FormError error={theirs ? null : change.error} form={form} />
        {theirs && (
          <Conflict
            fields={[{ title: 'Quality', mine: titleOf(wanted), theirs: titleOf(theirs) }]}
            busy={form.submitting || change.isPending}
            onTakeTheirs={() => show(theirs)}
            onKeepMine={() => send(theirs)}
          />
        )}
        {mayChange && (
          <Group>
            <Button type="submit" loading={form.submitting || change.isPending} disabled={areEqual(wanted, expected)}>
              Save
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  )
}
