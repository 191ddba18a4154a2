import type { Metadata } from 'next'
import { MissingPage } from '../../../_ui/page/MissingPage'

export const metadata: Metadata = { title: 'Key not found' }

export default function KeyNotFound() {
  return (
    <MissingPage title="Key not found" home="/api-keys" to="all keys">
      Check the URL. The key may belong to another account.
    </MissingPage>
  )
}
