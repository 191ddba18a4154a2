'use client'

import { Button, Checkbox, Group, NumberInput, Select, Stack, Text, TextInput } from '@mantine/core'
import { schemaResolver } from '@mantine/form'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { DashboardVideo } from '#server/modules/dashboard/video-row'
import { useTRPC } from '../../../_trpc/client'
import { FormError } from '../../../_ui/form/FormError'
import { showAtFields } from '../../../_ui/form/form-errors'
import { lazySchema } from '../../../_ui/form/lazy-schema'
import { SecretDialog } from '../../../_ui/form/SecretDialog'
import { useForm } from '../../../_ui/form/use-form'
import { Link } from '../../../_ui/Link'
import { useMay } from '../permissions'
import { NewShareLink } from './NewShareLink'
import classes from './ShareDialog.module.css'
import { ShareLinks } from './ShareLinks'

const LIVES = [
  { value: '1', label: '1 hour' },
  { value: '24', label: '1 day' },
  { value: '168', label: '7 days' },
  { value: '720', label: '30 days' },
  { value: '2160', label: '90 days' },
  { value: '8760', label: '1 year' },
]

interface Values {
  name: string
  expiresInHours: string
  maxViews: number | ''
  unfurls: boolean
}
const entered = ({ name, expiresInHours, maxViews, unfurls }: Values) => ({
  name,
  expiresInHours: Number(expiresInHours),
  maxViews: maxViews === '' ? null : maxViews,
  unfurls,
})
const validate = schemaResolver(
  lazySchema(async () => (await import('#server/modules/delivery/sharing/schema')).createShareInput.omit({ videoId: true })),
)

/** Creates links with which anyone can watch the video, and lists them. */
export function ShareDialog({
  video,
  opened,
  onClose,
}: {
  video: Pick<DashboardVideo, 'id' | 'title'>
  opened: boolean
  onClose: () => void
}) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const mayChange = useMay('videos.change')
  const { id: videoId } = video
  // No notice reports a view.
  const links = useQuery(trpc.share.list.queryOptions({ videoId }, { enabled: opened, staleTime: 0, refetchInterval: 10_000 }))
  const [url, setUrl] = useState<string>()
  const form = useForm<Values>({
    initialValues: { name: '', expiresInHours: '168', maxViews: '', unfurls: false },
    validate: (values) => validate(entered(values)),
  })
  const create = useMutation(
    trpc.share.create.mutationOptions({
      onSuccess: (created) => {
        setUrl(created.url)
        form.reset()
        return client.invalidateQueries(trpc.share.pathFilter())
      },
      onError: showAtFields(form),
    }),
  )
  const close = () => {
    // The address is not shown again.
    setUrl(undefined)
    create.reset()
    onClose()
  }
  return (
    <SecretDialog opened={opened} onClose={close} title={`Share “${video.title}”`} size="lg">
      <Stack gap="lg">
        {url ? (
          <NewShareLink url={url} onAgain={() => setUrl(undefined)} onDone={close} />
        ) : (
          mayChange && (
            <form onSubmit={form.onSubmit((values) => create.mutate({ videoId, ...entered(values) }))} noValidate>
              <Stack gap="md">
                <Text size="sm" c="dimmed">
                  Anyone with the link can watch this video until the link expires or you revoke it. These views don’t count toward a quota.{' '}
                  <Link href="/docs/sharing" className={classes.more}>
                    Learn more
                  </Link>
                </Text>
                <FormError error={create.error} form={form} />
                <div className={classes.fields}>
                  <TextInput label="Name" placeholder="Optional, shown only here" data-autofocus {...form.getInputProps('name')} />
                  <Select
                    label="Expires after"
                    data={LIVES}
                    allowDeselect={false}
                    checkIconPosition="right"
                    {...form.getInputProps('expiresInHours')}
                  />
                  <NumberInput
                    label="Maximum views"
                    placeholder="Unlimited"
                    min={1}
                    allowDecimal={false}
                    allowNegative={false}
                    {...form.getInputProps('maxViews')}
                  />
                </div>
                <Checkbox
                  label="Show title and poster in link previews"
                  description="Chat apps and social networks can then read both. Otherwise, previews say “Shared video”."
                  {...form.getInputProps('unfurls', { type: 'checkbox' })}
                />
                <Group justify="flex-end">
                  <Button type="submit" loading={form.submitting || create.isPending}>
                    Create link
                  </Button>
                </Group>
              </Stack>
            </form>
          )
        )}
        <ShareLinks links={links} mayChange={mayChange} />
      </Stack>
    </SecretDialog>
  )
}
