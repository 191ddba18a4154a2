import type { Metadata } from 'next'
import { requireSession } from '../../../_auth'
import { Hydrate, loadPages, trpc } from '../../../_trpc/server'
import { Uploads } from './_parts/Uploads'

export const metadata: Metadata = { title: 'Uploads' }

export default async function UploadsPage() {
  await requireSession('/videos/uploads')
  await loadPages(trpc.upload.list.infiniteQueryOptions({}, { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined }))
  return (
    <Hydrate>
      <Uploads />
    </Hydrate>
  )
}
