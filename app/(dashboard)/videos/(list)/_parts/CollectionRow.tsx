'use client'

import { ActionIcon, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { schemaResolver } from '@mantine/form'
import { IconPencil, IconTrash } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { CollectionObject } from '#server/modules/videos/collections/schema'
import { useTRPC } from '../../../../_trpc/client'
import { Conflict } from '../../../../_ui/form/Conflict'
import { conflictOf } from '../../../../_ui/form/conflict-of'
import { FormError } from '../../../../_ui/form/FormError'
import { showAtFields } from '../../../../_ui/form/form-errors'
import { lazySchema } from '../../../../_ui/form/lazy-schema'
import { useForm } from '../../../../_ui/form/use-form'
import { Notice } from '../../../../_ui/Notice'
import classes from './Collections.module.css'

interface Props {
  collection: CollectionObject
  /** Whether this row is being renamed or deleted. */
  active: boolean
  onActive: (active: boolean) => void
  onRemoved: (collectionId: string) => void
}

const formSchema = lazySchema(async () => (await import('#server/modules/videos/collections/schema')).collectionInput)

/** Shows one collection with its actions; renaming and the confirmation of the deletion take the row's place. */
export function CollectionRow({ collection, active, onActive, onRemoved }: Props) {
  const [deleting, setDeleting] = useState(false)
  const begin = (toDelete: boolean) => {
    setDeleting(toDelete)
    onActive(true)
  }
  const close = () => onActive(false)
  if (active)
    return (
      <li className={classes.active}>
        {deleting ? (
          <Deletion collection={collection} onClose={close} onRemoved={onRemoved} />
        ) : (
          <Renaming collection={collection} onClose={close} />
        )}
      </li>
    )
  return (
    <li className={classes.row}>
      <span className={classes.name}>{collection.name}</span>
      <ActionIcon variant="subtle" color="gray" aria-label={`Rename ${collection.name}`} onClick={() => begin(false)}>
        <IconPencil size={16} />
      </ActionIcon>
      <ActionIcon variant="subtle" color="gray" aria-label={`Delete ${collection.name}`} onClick={() => begin(true)}>
        <IconTrash size={16} />
      </ActionIcon>
    </li>
  )
}

function Renaming({ collection, onClose }: { collection: CollectionObject; onClose: () => void }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const [expected, setExpected] = useState(collection.name)
  const form = useForm({ initialValues: { name: collection.name }, validate: schemaResolver(formSchema) })
  const rename = useMutation(
    trpc.collection.rename.mutationOptions({
      async onSuccess() {
        await Promise.all([client.invalidateQueries(trpc.collection.pathFilter()), client.invalidateQueries(trpc.video.get.pathFilter())])
        onClose()
      },
      onError: showAtFields(form),
    }),
  )
  const theirs = conflictOf<{ name: string }>(rename.error)
  const save = (seen: string) => form.onSubmit(({ name }) => rename.mutate({ collectionId: collection.id, name, expected: seen }))
  const take = ({ name }: { name: string }) => {
    rename.reset()
    setExpected(name)
    form.setValues({ name })
  }
  return (
    <form onSubmit={save(expected)} noValidate>
      <Stack gap="xs">
        <FormError error={theirs ? null : rename.error} form={form} />
        {theirs && (
          <Conflict
            fields={[{ title: 'Name', mine: form.values.name, theirs: theirs.name }]}
            busy={rename.isPending}
            onTakeTheirs={() => take(theirs)}
            onKeepMine={save(theirs.name)}
          />
        )}
        <Group gap="xs" align="flex-start" wrap="nowrap">
          <TextInput aria-label={`New name of ${collection.name}`} flex={1} autoFocus {...form.getInputProps('name')} />
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={form.submitting || rename.isPending}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function Deletion({
  collection,
  onClose,
  onRemoved,
}: {
  collection: CollectionObject
  onClose: () => void
  onRemoved: Props['onRemoved']
}) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const remove = useMutation(
    trpc.collection.remove.mutationOptions({
      async onSuccess() {
        onRemoved(collection.id)
        onClose()
        await Promise.all([client.invalidateQueries(trpc.collection.pathFilter()), client.invalidateQueries(trpc.video.pathFilter())])
      },
    }),
  )
  return (
    <Stack gap="xs">
      {remove.error && <Notice tone="bad">{remove.error.message}</Notice>}
      <Text size="sm">Delete “{collection.name}”? Its videos remain.</Text>
      <Group gap="xs" justify="flex-end">
        <Button variant="default" onClick={onClose} autoFocus>
          Cancel
        </Button>
        <Button color="red" loading={remove.isPending} onClick={() => remove.mutate({ collectionId: collection.id })}>
          Delete collection
        </Button>
      </Group>
    </Stack>
  )
}
