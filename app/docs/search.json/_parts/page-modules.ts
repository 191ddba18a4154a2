import type { ReactNode } from 'react'
import { PAGES, REFERENCE } from '../../_parts/pages'

type Page = (props: { params: Promise<{ tag: string }> }) => ReactNode | Promise<ReactNode>

const MODULES: Record<string, () => Promise<{ default: Page }>> = {
  '/docs': () => import('../../page'),
  '/docs/authentication': () => import('../../authentication/page'),
  '/docs/testing': () => import('../../testing/page'),
  '/docs/sdk': () => import('../../sdk/page'),
  '/docs/express': () => import('../../express/page'),
  '/docs/uploads': () => import('../../uploads/page'),
  '/docs/processing': () => import('../../processing/page'),
  '/docs/managing': () => import('../../managing/page'),
  '/docs/finding': () => import('../../finding/page'),
  '/docs/playback': () => import('../../playback/page'),
  '/docs/player': () => import('../../player/page'),
  '/docs/sharing': () => import('../../sharing/page'),
  '/docs/webhooks': () => import('../../webhooks/page'),
  '/docs/errors': () => import('../../errors/page'),
  '/docs/limits': () => import('../../limits/page'),
  '/docs/versioning': () => import('../../versioning/page'),
  '/docs/library': () => import('../../library/page'),
  '/docs/request-log': () => import('../../request-log/page'),
  '/docs/viewers': () => import('../../viewers/page'),
  '/docs/notifications': () => import('../../notifications/page'),
  '/docs/charts': () => import('../../charts/page'),
  '/docs/operator': () => import('../../operator/page'),
  '/docs/billing': () => import('../../billing/page'),
  '/docs/team': () => import('../../team/page'),
  '/docs/signing-in': () => import('../../signing-in/page'),
  '/docs/receipts': () => import('../../receipts/page'),
  '/docs/changelog': () => import('../../changelog/page'),
  '/docs/reference': () => import('../../reference/page'),
  '/docs/reference/webhooks': () => import('../../reference/webhooks/page'),
}

/** Returns the content of every page of the docs, in reading order. */
export function contentOfPages(): Promise<ReactNode[]> {
  return Promise.all(
    PAGES.map(async ({ href }) => {
      const load = MODULES[href] ?? (() => import('../../reference/[tag]/page'))
      return (await load()).default({ params: Promise.resolve({ tag: href.slice(REFERENCE.length + 1) }) })
    }),
  )
}
