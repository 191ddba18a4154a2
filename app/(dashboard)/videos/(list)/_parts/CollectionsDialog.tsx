'use client'

import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { schemaResolver } from '@mantine/form'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTRPC } from '../../../../_trpc/client'
import { FormError } from '../../../../_ui/form/FormError'
import { showAtFields } from '../../../../_ui/form/form-errors'
import { lazySchema } from '../../../../_ui/form/lazy-schema'
import { useForm } from '../../../../_ui/form/use-form'
import { CollectionRow } from './CollectionRow'
import classes from './Collections.module.css'

interface Props {
  opened: boolean
  onClose: () => void
  onRemoved: (collectionId: string) => void
}

const formSchema = lazySchema(async () => (await import('#server/modules/videos/collections/schema')).collectionInput)

/** Creates, renames and deletes the account's collections. */
export function CollectionsDialog({ opened, onClose, onRemoved }: Props) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const { data: collections = [] } = useQuery(trpc.collection.list.queryOptions())
  // Id of the row that is edited or about to be deleted: one at a time.
  const [active, setActive] = useState<string>()
  const form = useForm({ initialValues: { name: '' }, validate: schemaResolver(formSchema) })
  const create = useMutation(
    trpc.collection.create.mutationOptions({
      onSuccess() {
        form.reset()
        return client.invalidateQueries(trpc.collection.pathFilter())
      },
      onError: showAtFields(form),
    }),
  )
  return (
    <Modal opened={opened} onClose={onClose} title="Collections">
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          Group videos, for example by course. A video can be in several collections. Deleting a collection keeps its videos.
        </Text>
        <form onSubmit={form.onSubmit((values) => create.mutate(values))} noValidate>
          <Stack gap="xs">
            <FormError error={create.error} form={form} />
            <Group gap="xs" align="flex-start" wrap="nowrap">
              <TextInput aria-label="Name" placeholder="New collection name" flex={1} data-autofocus {...form.getInputProps('name')} />
              <Button type="submit" loading={form.submitting || create.isPending}>
                Create
              </Button>
            </Group>
          </Stack>
        </form>
        {collections.length > 0 && (
          <ul className={classes.list} aria-label="Collections">
            {collections.map((collection) => (
              <CollectionRow
                key={collection.id}
                collection={collection}
                active={active === collection.id}
                onActive={(is) => setActive(is ? collection.id : undefined)}
                onRemoved={onRemoved}
              />
            ))}
          </ul>
        )}
      </Stack>
    </Modal>
  )
}
