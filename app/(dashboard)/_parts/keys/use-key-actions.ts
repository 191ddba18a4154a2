'use client'

import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ListedKey } from '#server/modules/dashboard/list-keys'
import { type TrpcError, useTRPC } from '../../../_trpc/client'
import { offerUndo } from '../offer-undo'

/**
 * Renames, disables and enables a key without a confirmation: the page shows the change at once and offers to undo it; a refusal by the
 * server reverts it with a message.
 */
export function useKeyActions({ id: keyId, name, state }: Pick<ListedKey, 'id' | 'name' | 'state'>) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const [list, one] = [trpc.key.list.queryKey(), trpc.key.get.queryKey({ keyId })]

  /** Shows the changed key before the server responds; returns the state shown before. */
  async function show(changed: Partial<ListedKey>) {
    await client.cancelQueries(trpc.key.pathFilter())
    const before = { list: client.getQueryData<ListedKey[]>(list), one: client.getQueryData<ListedKey>(one) }
    client.setQueryData<ListedKey[]>(list, (keys) => keys?.map((key) => (key.id === keyId ? { ...key, ...changed } : key)))
    client.setQueryData<ListedKey>(one, (key) => key && { ...key, ...changed })
    return before
  }
  const takeBack = (before: Awaited<ReturnType<typeof show>> | undefined) => {
    client.setQueryData(list, before?.list)
    client.setQueryData(one, before?.one)
  }
  const options = {
    onError(error: { message: string }, _input: unknown, before: Awaited<ReturnType<typeof show>> | undefined) {
      takeBack(before)
      notifications.show({ color: 'red', title: 'Something went wrong', message: error.message })
    },
    onSettled: () =>
      Promise.all([client.invalidateQueries(trpc.key.pathFilter()), client.invalidateQueries(trpc.account.overview.pathFilter())]),
  }
  // Called from a dialog, which shows the error and keeps the input; undone from a notification.
  const rename = useMutation(
    trpc.key.rename.mutationOptions({
      ...options,
      onMutate: ({ name }) => show({ name }),
      onError: (_error, _input, before) => takeBack(before),
    }),
  )
  const renameBack = useMutation(trpc.key.rename.mutationOptions({ ...options, onMutate: ({ name }) => show({ name }) }))
  const disable = useMutation(
    trpc.key.disable.mutationOptions({ ...options, onMutate: () => show({ state: 'DISABLED', disabledAt: new Date() }) }),
  )
  const enable = useMutation(
    trpc.key.enable.mutationOptions({ ...options, onMutate: () => show({ state: 'ACTIVE', disabledAt: null, disabledBy: null }) }),
  )

  return {
    /** Renames the key to `to` if its name is still `expected`. */
    rename: (to: string, expected: string, { onDone, onError }: { onDone: () => void; onError: (error: TrpcError) => void }) =>
      rename.mutate(
        { keyId, name: to, expected },
        {
          onSuccess: () => {
            offerUndo(keyId, 'Renamed to', to, () => renameBack.mutate({ keyId, name: expected, expected: to }))
            onDone()
          },
          onError,
        },
      ),
    renaming: { error: rename.error, isPending: rename.isPending, reset: rename.reset },
    disable: () => disable.mutate({ keyId }, { onSuccess: () => offerUndo(keyId, 'Disabled', name, () => enable.mutate({ keyId })) }),
    enable: () => enable.mutate({ keyId }, { onSuccess: () => offerUndo(keyId, 'Enabled', name, () => disable.mutate({ keyId })) }),
    resting: state === 'DISABLED',
  }
}
