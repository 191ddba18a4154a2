'use client'

import { Modal, Stack } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { DashboardUpload } from '#server/modules/dashboard/list-uploads'
import { useTRPC } from '../../../../_trpc/client'
import { Notice } from '../../../../_ui/Notice'
import { ImportForm, importValues } from '../../../_parts/uploads/ImportForm'

/** Starts an import again that ended without a video. Its URL is filled in unless it had a query, which is not kept. */
export function ImportAgainDialog({ upload, opened, onClose }: { upload: DashboardUpload; opened: boolean; onClose: () => void }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const start = useMutation(
    trpc.upload.importAgain.mutationOptions({
      onSuccess: () => {
        void client.invalidateQueries(trpc.upload.pathFilter())
        onClose()
      },
    }),
  )
  const { id, source, replaces, title } = upload
  const hasQuery = source?.hasQuery ?? false
  return (
    <Modal opened={opened} onClose={onClose} title="Import again" size="lg">
      <Stack gap="md">
        {hasQuery && (
          <Notice tone="info">
            We don’t keep the query of a URL, since it may contain a signature. Enter the complete URL of {source?.url} again.
          </Notice>
        )}
        <ImportForm
          again
          hasTitle={!replaces}
          initial={{ ...importValues, url: hasQuery ? '' : (source?.url ?? ''), title: title ?? '' }}
          start={start}
          onSubmit={({ url, title: named }, settled) =>
            start.mutate({ uploadId: id, url, ...(named && !replaces && { title: named }) }, settled)
          }
          onCancel={onClose}
        />
      </Stack>
    </Modal>
  )
}
