import {
  IconActivity,
  IconChartBar,
  IconCreditCard,
  IconKey,
  IconLayoutDashboard,
  IconMovie,
  IconSettings,
  IconUsers,
  IconWebhook,
} from '@tabler/icons-react'

/** The dashboard's pages, in the order of the navigation; `words` are other search terms. */
export const PLACES = [
  { href: '/', title: 'Overview', icon: IconLayoutDashboard, words: 'home start dashboard' },
  { href: '/videos', title: 'Videos', icon: IconMovie, words: 'uploads library' },
  { href: '/api-keys', title: 'API Keys', icon: IconKey, words: 'tokens secrets' },
  { href: '/usage', title: 'Usage', icon: IconChartBar, words: 'charts quota csv' },
  { href: '/requests', title: 'Requests', icon: IconActivity, words: 'log errors calls why' },
  { href: '/webhooks', title: 'Webhooks', icon: IconWebhook, words: 'events deliveries endpoints' },
  { href: '/billing', title: 'Billing', icon: IconCreditCard, words: 'credit wallet invoices top up' },
  { href: '/team', title: 'Team', icon: IconUsers, words: 'members invitations roles people' },
  { href: '/settings', title: 'Settings', icon: IconSettings, words: 'account password sessions two-factor domains' },
] as const

/** Returns whether the page at `path` is this place or below it. */
export const isWithin = (path: string, href: string) => (href === '/' ? path === '/' : path === href || path.startsWith(`${href}/`))
