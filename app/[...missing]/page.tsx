import type { Metadata } from 'next'
import { notFound } from 'next/navigation'

export const metadata: Metadata = { title: 'Page not found' }

/** Answers addresses that no page has: in the dashboard for its members, and with a page of its own for visitors. */
export default function Missing() {
  notFound()
}
