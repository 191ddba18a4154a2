'use client'

import { Modal, Select, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { BulkKind } from '#server/modules/dashboard/library/bulk-schema'
import { foldCase } from '#server/platform/text/fold-case'
import { useTRPC } from '../../../../_trpc/client'
import { DialogActions } from '../../../../_ui/form/DialogActions'
import { formatCount } from '../../../../_ui/format'
import { Notice } from '../../../../_ui/Notice'

/** Deletions of more videos are confirmed by typing how many. */
const TYPED_ABOVE = 100
/** Value of the option that creates a collection; no collection has this id. */
const NEW = 'new'

const TITLES: Partial<Record<BulkKind, (videos: string) => string>> = {
  delete: (videos) => `Delete ${videos}?`,
  add: (videos) => `Add ${videos} to a collection`,
  move: (videos) => `Move ${videos} to another collection`,
}

interface Props {
  kind: BulkKind
  count: number
  /** The collection that the list shows. */
  leaving: string | undefined
  opened: boolean
  onClose: () => void
  onConfirm: (collectionId?: string) => void
  busy: boolean
  problem: string | undefined
}

/** Confirms a deletion of many videos, or chooses the collection that they are added or moved to. */
export function BulkDialog({ kind, count, leaving, opened, onClose, onConfirm, busy, problem }: Props) {
  const videos = `${formatCount(count)} ${count === 1 ? 'video' : 'videos'}`
  const dialog = { opened, onClose, title: TITLES[kind]?.(videos) }
  return (
    <Modal {...dialog}>
      <Stack gap="md">
        {problem && <Notice tone="bad">{problem}</Notice>}
        {kind === 'delete' ? (
          <Deletion count={count} onClose={onClose} onConfirm={onConfirm} busy={busy} />
        ) : (
          <Choice isMove={kind === 'move'} leaving={leaving} onClose={onClose} onConfirm={onConfirm} busy={busy} />
        )}
      </Stack>
    </Modal>
  )
}

type Part = Pick<Props, 'onClose' | 'onConfirm' | 'busy'>

function Deletion({ count, onClose, onConfirm, busy }: Part & { count: number }) {
  const [typed, setTyped] = useState('')
  const isTyped = count <= TYPED_ABOVE || typed.replace(/\D/g, '') === String(count)
  return (
    <>
      <Text size="sm">
        Playback stops immediately, and the API no longer returns these videos. You can restore them for 7 days. After that, their media is
        deleted permanently.
      </Text>
      {count > TYPED_ABOVE && (
        <TextInput
          label={`Type ${formatCount(count)} to confirm`}
          inputMode="numeric"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          data-autofocus
        />
      )}
      <DialogActions
        onCancel={onClose}
        focusCancel={count <= TYPED_ABOVE}
        color="red"
        disabled={!isTyped}
        loading={busy}
        onClick={() => onConfirm()}
      >
        Delete {formatCount(count)} {count === 1 ? 'video' : 'videos'}
      </DialogActions>
    </>
  )
}

function Choice({ isMove, leaving, onClose, onConfirm, busy }: Part & { isMove: boolean; leaving: string | undefined }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const { data: all = [] } = useQuery(trpc.collection.list.queryOptions())
  const create = useMutation(
    trpc.collection.create.mutationOptions({ onSettled: () => client.invalidateQueries(trpc.collection.pathFilter()) }),
  )
  const [chosen, setChosen] = useState<string | null>(null)
  const [typed, setTyped] = useState('')
  const options = all.filter(({ id }) => id !== leaving).map(({ id, name }) => ({ value: id, label: name }))
  const name = typed.trim()
  if (name && !all.some((one) => foldCase(one.name) === foldCase(name))) options.push({ value: NEW, label: `Create “${name}”` })
  const choose = (value: string | null) => {
    if (value === NEW) create.mutate({ name }, { onSuccess: ({ id }) => setChosen(id) })
    else setChosen(value)
  }
  return (
    <>
      {create.error && <Notice tone="bad">{create.error.message}</Notice>}
      <Select
        label="Collection"
        placeholder="Find or create a collection"
        data={options}
        value={chosen}
        onChange={choose}
        searchable
        searchValue={typed}
        onSearchChange={setTyped}
        filter={({ options: list, search }) =>
          list.filter((one) => 'value' in one && (one.value === NEW || foldCase(one.label).includes(foldCase(search.trim()))))
        }
        nothingFoundMessage="Type a name to create a collection."
        data-autofocus
      />
      <DialogActions onCancel={onClose} disabled={!chosen} loading={busy || create.isPending} onClick={() => chosen && onConfirm(chosen)}>
        {isMove ? 'Move' : 'Add'}
      </DialogActions>
    </>
  )
}
