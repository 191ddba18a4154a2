import type { Metadata } from 'next'
import { notFound } from 'next/navigation'

export const metadata: Metadata = { title: 'Page not found' }

/** Answers unknown addresses of this area, with its navigation. */
export default function Missing() {
  notFound()
}
