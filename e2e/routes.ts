import { globSync } from 'node:fs'
import { join } from 'node:path'
import { expect, type Page } from '@playwright/test'
import { PAGES } from '../app/docs/_parts/pages.ts'
import { chooseRange } from './ranges.ts'

/** A page of the product, or a state of one, and the user who views it. */
export interface Route {
  name: string
  address: string
  as: 'visitor' | 'newcomer' | 'owner' | 'staff' | 'trainee'
  /** The actions there before it is checked. */
  open?: (page: Page) => Promise<unknown>
  /** The status of its response, when not 200. */
  status?: number
  /** The actions there break it, so the browser logs errors. */
  breaks?: true
  /** It requests something that does not exist, and shows the refusal. */
  refused?: true
  /** It lists what other tests create in the meantime, so its rows may move. */
  changes?: true
}

const button = (name: string) => (page: Page) => page.getByRole('button', { name }).first().click()

const opened = (name: string) => async (page: Page) => {
  await button(name)(page)
  await expect(page.getByRole('dialog')).toBeVisible()
}

/** Expects the navigation of an area, which is in a drawer on a phone. */
const navigation = (label: string) => (page: Page) => expect(page.locator(`nav[aria-label="${label}"]`)).toHaveCount(1)

/** Fixtures for lists of routes where only the names and files of the pages matter. */
export const PLACEHOLDERS = {
  account: 'acc_none',
  key: 'key_none',
  video: 'vid_none',
  failed: 'vid_none',
  processing: 'vid_none',
  request: 'req_none',
  endpoint: 'whe_none',
  invitation: '/join',
  person: 'vwr_none',
}

/** Returns every page, each at least once: see `unlisted`. */
export function routes(fixtures: typeof PLACEHOLDERS): Route[] {
  const all = (as: Route['as'], list: Record<string, string | Omit<Route, 'name' | 'as'>>): Route[] =>
    Object.entries(list).map(([name, place]) => ({ name, as, ...(typeof place === 'string' ? { address: place } : place) }))
  const mails = process.env.REELGATE_E2E_MAIL_URL
  const month = new Date().toISOString().slice(0, 7)
  const home = `/support/accounts/${fixtures.account}`
  return [
    ...all('visitor', {
      'sign-in': '/sign-in',
      'sign-up': '/sign-up',
      ...(mails && { 'sign-up-mail': `${mails}/sign-up`, 'forgot-password': `${mails}/forgot-password` }),
      'sign-up-finish': '/sign-up/finish#AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
      'reset-password': { address: '/reset-password#AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', refused: true },
      invitation: fixtures.invitation,
      'invitation-gone': { address: '/join#AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', refused: true },
      'missing-visitor': { address: '/nowhere', status: 404 },
      'docs-missing': { address: '/docs/nowhere', status: 404, open: navigation('Docs') },
      ...Object.fromEntries(PAGES.map(({ href }) => [href.slice(1).replaceAll('/', '-'), href])),
    }),
    ...all('newcomer', {
      'overview-none': '/',
      'videos-none': '/videos',
      'uploads-none': '/videos/uploads',
      'keys-none': '/api-keys',
      'usage-none': '/usage',
      'viewers-none': '/viewers',
      'people-none': '/viewers/people',
      'requests-none': '/requests',
      'webhooks-none': '/webhooks',
      'webhook-events-none': '/webhooks/events',
      'billing-none': '/billing',
      'ledger-none': '/billing/ledger',
      'statements-none': '/billing/statements',
    }),
    ...all('owner', {
      overview: '/',
      videos: '/videos',
      'videos-upload': { address: '/videos', open: opened('Upload video') },
      'videos-import': { address: '/videos/uploads', open: opened('Import from URL') },
      uploads: '/videos/uploads',
      'uploads-again': { address: '/videos/uploads', open: opened('Import again: Interview, take 2') },
      video: `/videos/${fixtures.video}`,
      'video-analytics': `/videos/${fixtures.video}/analytics`,
      'video-delivery': `/videos/${fixtures.video}/delivery`,
      'video-activity': `/videos/${fixtures.video}/activity`,
      captions: `/videos/${fixtures.video}/captions/en`,
      'captions-history': { address: `/videos/${fixtures.video}/captions/en`, open: captionsHistory },
      'captions-none': `/videos/${fixtures.video}/captions/de`,
      'video-failed': `/videos/${fixtures.failed}`,
      'video-processing': `/videos/${fixtures.processing}`,
      keys: '/api-keys',
      'keys-generate': { address: '/api-keys', open: opened('Generate New Key') },
      key: `/api-keys/${fixtures.key}`,
      'video-missing': { address: '/videos/vid_thereisnone', status: 404, open: navigation('Main') },
      usage: '/usage',
      'usage-range': { address: '/usage', open: (page) => page.getByRole('button', { name: /^Range: / }).click() },
      viewers: '/viewers',
      people: '/viewers/people',
      person: `/viewers/people/${fixtures.person}`,
      'person-missing': { address: '/viewers/people/vwr_thereisnone', status: 404, open: navigation('Main') },
      requests: '/requests',
      request: {
        address: `/requests/${fixtures.request}`,
        open: (page) => expect(page.getByRole('dialog')).toContainText(fixtures.request),
      },
      webhooks: '/webhooks',
      webhook: `/webhooks/${fixtures.endpoint}`,
      'webhook-delivery': { address: `/webhooks/${fixtures.endpoint}`, open: opened('video.processing.failed') },
      'webhook-events': '/webhooks/events',
      billing: '/billing',
      'billing-limits': '/billing/limits',
      ledger: '/billing/ledger',
      estimate: '/billing/estimate',
      statements: '/billing/statements',
      statement: `/billing/statements/${month}`,
      team: '/team',
      'audit-log': '/team/audit-log',
      settings: '/settings',
      security: '/settings/security',
      notifications: '/settings/notifications',
      receipts: '/settings/receipts',
      palette: { address: '/', open: (page) => page.keyboard.press('ControlOrMeta+k') },
      missing: { address: '/nowhere/at/all', status: 404, open: navigation('Main') },
      broken: { address: '/usage', open: breakIt, breaks: true },
    }),
    ...all('trainee', { 'two-factor': '/two-factor' }),
    ...all('staff', {
      support: '/support',
      'support-quotas': '/support/quota-requests',
      'support-approvals': '/support/approvals',
      'support-accounts': { address: '/support/accounts', changes: true },
      'support-fleet': '/support/fleet',
      'support-backups': '/support/backups',
      'support-account': home,
      'support-timeline': `${home}/timeline`,
      'support-notes': `${home}/notes`,
      'support-audit-log': `${home}/audit-log`,
      'support-keys': `${home}/keys`,
      'support-videos': `${home}/videos`,
      'support-video': `${home}/videos/${fixtures.video}`,
      'support-video-processing': `${home}/videos/${fixtures.processing}`,
      'support-requests': `${home}/requests`,
      'support-request': `${home}/requests/${fixtures.request}`,
      'support-webhooks': `${home}/webhooks`,
      'support-webhook': `${home}/webhooks/${fixtures.endpoint}`,
      'support-billing': `${home}/billing`,
      operator: '/operator',
      'operator-settings': '/operator/settings',
      'operator-announcements': '/operator/announcements',
      'operator-announce': { address: '/operator/announcements', open: opened('New announcement') },
      'operator-access': '/operator/access',
      'operator-log': '/operator/log',
      'operator-runbooks': '/operator/guides/runbooks#reelgatenoworker',
      'operator-guide': '/operator/guides/storage',
      'support-missing': { address: '/support/accounts/acc_thereisnone', status: 404, open: navigation('Support') },
      'support-nowhere': { address: '/support/nowhere', status: 404, open: navigation('Support') },
      'operator-nowhere': { address: '/operator/nowhere', status: 404, open: navigation('Operator') },
    }),
  ]
}

async function captionsHistory(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Version history' }).click()
  await expect(page.getByRole('dialog')).toContainText('Version 1')
}

/** Opens a page whose data the server fails to deliver. */
async function breakIt(page: Page): Promise<void> {
  await page.route('**/api/trpc/**', (route) => route.fulfill({ status: 500, contentType: 'application/json', body: '[]' }))
  await chooseRange(page, 'Last 7 days')
  // Each panel of the page has one.
  await expect(page.getByRole('button', { name: 'Try again' }).first()).toBeVisible()
}

const app = join(import.meta.dirname, '../app')

/** Returns the files of pages that no place covers. */
export function unlisted(list: Route[]): string[] {
  const files = globSync('**/page.tsx', { cwd: app })
  expect(files.length).toBeGreaterThan(40)
  const paths = list.map(pathOf)
  return files.filter((file) => !paths.some((path) => addressOf(file).test(path)))
}

/** Returns one place of each page: with data, and without a dialog, if there is one. Guides count as one page, as they share all but text. */
export function onePerPage(list: Route[]): Route[] {
  const dynamic = (file: string) => file.split('[').length
  const files = globSync('**/page.{tsx,mdx}', { cwd: app }).sort((a, b) => dynamic(a) - dynamic(b))
  const pageOf = (place: Route) => {
    const file = files.find((file) => addressOf(file).test(pathOf(place)))
    return file?.endsWith('.mdx') ? 'guide' : file
  }
  const lacks = ({ as, open }: Route) => Number(as === 'newcomer') + Number(Boolean(open))
  const bestLast = list.toReversed().sort((a, b) => lacks(b) - lacks(a))
  const chosen = new Map(bestLast.map((place) => [pageOf(place), place]))
  return list.filter((place) => chosen.get(pageOf(place)) === place)
}

const pathOf = ({ address }: Route) => new URL(address, 'http://localhost').pathname

/** Returns a pattern of the addresses that a page's file serves. */
function addressOf(file: string): RegExp {
  const parts = file.split('/').slice(0, -1)
  const pattern = parts
    .filter((part) => !part.startsWith('('))
    .map((part) => {
      if (part.startsWith('[[')) return '(?:/[^/]+)*'
      return part.startsWith('[') ? '/[^/]+' : `/${part}`
    })
  return new RegExp(`^${pattern.join('') || '/'}$`)
}
