import type { Metadata } from 'next'
import { MissingPage } from './_ui/page/MissingPage'

export const metadata: Metadata = { title: 'Page not found' }

/** The page for visitors. Areas have their own, within their navigation. */
export default function NotFound() {
  return (
    // Aligned to the top: centred content would shift as the rest of the page arrives.
    <main style={{ paddingTop: '20vh' }}>
      <MissingPage home="/" to="overview" />
    </main>
  )
}
