'use client'

import { Stack } from '@mantine/core'
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../../../../../_trpc/client'
import { ShowMore } from '../../../../../_ui/ShowMore'
import { NoteForm } from './NoteForm'
import { NoteItem } from './NoteItem'
import classes from './Notes.module.css'

/** Shows the notes of support staff on an account, and a field for another one. */
export function Notes({ accountId }: { accountId: string }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const notes = useInfiniteQuery(
    trpc.support.notes.infiniteQueryOptions({ accountId }, { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined }),
  )
  const changed = () => client.invalidateQueries(trpc.support.notes.pathFilter())
  const add = useMutation(trpc.support.addNote.mutationOptions({ onSuccess: changed }))
  const all = notes.data?.pages.flatMap((page) => page.notes) ?? []
  return (
    <Stack gap="lg" maw={760}>
      <NoteForm
        label="New note"
        description="Visible to support staff only. Members of the account never see notes."
        button="Add note"
        initial=""
        busy={add.isPending}
        error={add.error}
        onSave={(body, { onDone, onError }) => add.mutate({ accountId, body }, { onSuccess: onDone, onError })}
      />
      {all.length === 0 ? (
        <p className={classes.none}>No notes on this account yet.</p>
      ) : (
        <ul className={classes.notes}>
          {all.map((note) => (
            <NoteItem key={note.id} accountId={accountId} note={note} onChanged={changed} />
          ))}
        </ul>
      )}
      <ShowMore query={notes} />
    </Stack>
  )
}
