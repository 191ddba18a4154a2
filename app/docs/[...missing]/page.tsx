import type { Metadata } from 'next'
import { notFound } from 'next/navigation'

export const metadata: Metadata = { title: 'Page not found' }

/** Answers addresses of this area that no page has, with its navigation. */
export default function Missing() {
  notFound()
}
