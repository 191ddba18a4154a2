/// <reference types="mdx" />
import type { ReactNode } from 'react'
import { PAGES, REFERENCE } from '../../_parts/pages'

type Page = (props: { params: Promise<{ tag: string }> }) => ReactNode | Promise<ReactNode>

const MODULES: Record<string, () => Promise<{ default: Page }>> = {
  '/docs': () => import('../../page.mdx'),
  '/docs/authentication': () => import('../../authentication/page.mdx'),
  '/docs/testing': () => import('../../testing/page.mdx'),
  '/docs/sdk': () => import('../../sdk/page.mdx'),
  '/docs/express': () => import('../../express/page.mdx'),
  '/docs/uploads': () => import('../../uploads/page.mdx'),
  '/docs/importing': () => import('../../importing/page.mdx'),
  '/docs/processing': () => import('../../processing/page.mdx'),
  '/docs/captions': () => import('../../captions/page.mdx'),
  '/docs/managing': () => import('../../managing/page.mdx'),
  '/docs/finding': () => import('../../finding/page.mdx'),
  '/docs/playback': () => import('../../playback/page.mdx'),
  '/docs/player': () => import('../../player/page.mdx'),
  '/docs/resume': () => import('../../resume/page.mdx'),
  '/docs/devices': () => import('../../devices/page.mdx'),
  '/docs/regions': () => import('../../regions/page.mdx'),
  '/docs/viewer-data': () => import('../../viewer-data/page.mdx'),
  '/docs/progress': () => import('../../progress/page.mdx'),
  '/docs/watermark': () => import('../../watermark/page.mdx'),
  '/docs/sharing': () => import('../../sharing/page.mdx'),
  '/docs/webhooks': () => import('../../webhooks/page.mdx'),
  '/docs/errors': () => import('../../errors/page'),
  '/docs/limits': () => import('../../limits/page.mdx'),
  '/docs/versioning': () => import('../../versioning/page.mdx'),
  '/docs/library': () => import('../../library/page.mdx'),
  '/docs/request-log': () => import('../../request-log/page.mdx'),
  '/docs/viewers': () => import('../../viewers/page.mdx'),
  '/docs/analytics': () => import('../../analytics/page.mdx'),
  '/docs/notifications': () => import('../../notifications/page.mdx'),
  '/docs/charts': () => import('../../charts/page.mdx'),
  '/docs/operator': () => import('../../operator/page.mdx'),
  '/docs/billing': () => import('../../billing/page.mdx'),
  '/docs/team': () => import('../../team/page.mdx'),
  '/docs/signing-in': () => import('../../signing-in/page.mdx'),
  '/docs/receipts': () => import('../../receipts/page.mdx'),
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
