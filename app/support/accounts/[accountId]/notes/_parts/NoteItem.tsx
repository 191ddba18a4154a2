'use client'

import { ActionIcon, Menu } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconDots, IconPencil, IconTrash } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Note } from '#server/modules/backoffice/support/notes'
import { useTRPC } from '../../../../../_trpc/client'
import { RelativeTime } from '../../../../../_ui/RelativeTime'
import { NoteForm } from './NoteForm'
import classes from './Notes.module.css'

interface Props {
  accountId: string
  note: Note
  onChanged: () => unknown
}

/** Shows a note; its author can edit and delete it. */
export function NoteItem({ accountId, note: { id: noteId, body, authorEmail, createdAt, editedAt, isOwn }, onChanged }: Props) {
  const trpc = useTRPC()
  const [editing, setEditing] = useState(false)
  const edit = useMutation(trpc.support.editNote.mutationOptions({ onSuccess: onChanged }))
  const remove = useMutation(
    trpc.support.removeNote.mutationOptions({
      onSuccess: onChanged,
      onError: ({ message }) => notifications.show({ color: 'red', title: 'Could not delete the note', message }),
    }),
  )
  return (
    <li className={classes.note}>
      <div className={classes.head}>
        <span className={classes.author}>{authorEmail}</span>
        <span className={classes.time}>
          <RelativeTime date={createdAt} />
          {editedAt && ', edited'}
        </span>
        {isOwn && (
          <Menu position="bottom-end">
            <Menu.Target>
              <ActionIcon variant="subtle" color="gray" aria-label="Note actions" loading={remove.isPending}>
                <IconDots size={16} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item leftSection={<IconPencil size={15} />} onClick={() => setEditing(true)}>
                Edit
              </Menu.Item>
              <Menu.Item color="red" leftSection={<IconTrash size={15} />} onClick={() => remove.mutate({ accountId, noteId })}>
                Delete
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        )}
      </div>
      {editing ? (
        <NoteForm
          label="Edit note"
          button="Save"
          initial={body}
          busy={edit.isPending}
          error={edit.error}
          onSave={(text, { onError }) =>
            edit.mutate({ accountId, noteId, body: text, expected: body }, { onSuccess: () => setEditing(false), onError })
          }
          onCancel={() => setEditing(false)}
        />
      ) : (
        <p className={classes.body}>{body}</p>
      )}
    </li>
  )
}
