'use client'

import { ActionIcon, Button, Checkbox, Group, Menu, Modal, Stack, Text, TextInput } from '@mantine/core'
import { schemaResolver, useForm } from '@mantine/form'
import { IconBookmark, IconDeviceFloppy, IconTrash, IconUsers } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { writeListQuery } from '#server/modules/videos/address-schema'
import type { ListQuery } from '#server/modules/videos/list-schema'
import { useTRPC } from '../../../../_trpc/client'
import { FormError } from '../../../../_ui/FormError'
import { showAtFields } from '../../../../_ui/form-errors'
import { lazySchema } from '../../../../_ui/lazy-schema'
import { useMay } from '../../../_parts/permissions'

const schema = lazySchema(async () =>
  (await import('#server/modules/library/filter-schema')).saveFilterInput.pick({ name: true, shared: true }),
)

/** Lists the saved filters of the member and of the team, and saves the present one. */
export function SavedFilters({ query, onChoose }: { query: ListQuery; onChoose: (query: ListQuery) => void }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const mayShare = useMay('videos.change')
  const { data: filters = [] } = useQuery(trpc.library.filters.queryOptions())
  const [saving, setSaving] = useState(false)
  const written = writeListQuery(query)
  const current = filters.find((one) => one.query === written)
  const choose = async (saved: string) => {
    const { readListQuery } = await import('#server/modules/videos/list-schema')
    onChoose(readListQuery(new URLSearchParams(saved)))
  }
  const remove = useMutation(
    trpc.library.removeFilter.mutationOptions({ onSettled: () => client.invalidateQueries(trpc.library.filters.pathFilter()) }),
  )
  return (
    <>
      <Menu position="bottom-end" width={280} closeOnItemClick>
        <Menu.Target>
          <Button variant="default" leftSection={<IconBookmark size={15} />}>
            {current ? current.name : 'Saved filters'}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {filters.map(({ id, name, query: saved, shared }) => (
            <Group key={id} gap={0} wrap="nowrap">
              <Menu.Item
                onClick={() => void choose(saved)}
                rightSection={shared ? <IconUsers size={14} aria-label="Of the team" /> : undefined}
                style={{ flex: 1, minWidth: 0 }}
              >
                {name}
              </Menu.Item>
              {(!shared || mayShare) && (
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={`Delete the filter ${name}`}
                  onClick={() => remove.mutate({ filterId: id })}
                >
                  <IconTrash size={14} />
                </ActionIcon>
              )}
            </Group>
          ))}
          {filters.length === 0 && (
            <Text size="sm" c="dimmed" px="sm" py={6}>
              Save filters that you use often.
            </Text>
          )}
          <Menu.Divider />
          <Menu.Item leftSection={<IconDeviceFloppy size={15} />} disabled={written === ''} onClick={() => setSaving(true)}>
            Save this filter…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <SaveDialog opened={saving} onClose={() => setSaving(false)} query={written} mayShare={mayShare} />
    </>
  )
}

function SaveDialog({ opened, onClose, query, mayShare }: { opened: boolean; onClose: () => void; query: string; mayShare: boolean }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const form = useForm({ initialValues: { name: '', shared: false }, validate: schemaResolver(schema) })
  const save = useMutation(
    trpc.library.saveFilter.mutationOptions({
      onSuccess: () => {
        form.reset()
        onClose()
        return client.invalidateQueries(trpc.library.filters.pathFilter())
      },
      onError: showAtFields(form),
    }),
  )
  return (
    <Modal opened={opened} onClose={onClose} title="Save filter">
      <form onSubmit={form.onSubmit((values) => save.mutate({ ...values, query }))} noValidate>
        <Stack gap="md">
          <FormError error={save.error} form={form} />
          <TextInput label="Name" description="A filter with the same name is replaced." data-autofocus {...form.getInputProps('name')} />
          {mayShare && <Checkbox label="Show it to the whole team" {...form.getInputProps('shared', { type: 'checkbox' })} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={form.submitting || save.isPending}>
              Save filter
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
