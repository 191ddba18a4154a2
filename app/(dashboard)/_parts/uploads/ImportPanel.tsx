'use client'

import { Anchor } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../../../_trpc/client'
import { Link } from '../../../_ui/Link'
import { ImportForm, importValues } from './ImportForm'

/** Starts the import of a file, and says where its state is shown. */
export function ImportPanel({ onClose }: { onClose: () => void }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const start = useMutation(
    trpc.upload.import.mutationOptions({
      onSuccess: () => {
        void client.invalidateQueries(trpc.upload.pathFilter())
        notifications.show({
          withBorder: true,
          message: (
            <>
              Import started.{' '}
              <Anchor component={Link} href="/videos/uploads" inherit underline="always">
                View uploads
              </Anchor>
            </>
          ),
        })
        onClose()
      },
    }),
  )
  return (
    <ImportForm
      initial={importValues}
      start={start}
      onSubmit={({ url, title, description, targetQuality, captions, encrypted }, settled) =>
        start.mutate(
          {
            url,
            ...(title && { title }),
            ...(description && { description }),
            ...(captions && { captions }),
            ...{ targetQuality, encrypted },
          },
          settled,
        )
      }
      onCancel={onClose}
    />
  )
}
