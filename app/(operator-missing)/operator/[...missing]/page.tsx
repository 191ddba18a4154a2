import type { Metadata } from 'next'
import { notFound } from 'next/navigation'

export const metadata: Metadata = { title: 'Page not found' }

/**
 * Answers addresses of the console that no page has, with its navigation. Outside the console's folder: below its loading.tsx the status
 * would be sent as 200 before the page is known to be missing.
 */
export default function Missing() {
  notFound()
}
