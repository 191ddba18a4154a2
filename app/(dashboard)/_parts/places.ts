import {
  IconActivity,
  IconChartBar,
  IconCreditCard,
  IconKey,
  IconLayoutDashboard,
  IconMovie,
  IconSettings,
  IconUsers,
  IconUsersGroup,
  IconWebhook,
} from '@tabler/icons-react'

/** The dashboard's pages, in the order of the navigation; `keywords` are further search terms. */
export const PLACES = [
  { href: '/', title: 'Overview', icon: IconLayoutDashboard, keywords: 'home start dashboard' },
  { href: '/videos', title: 'Videos', icon: IconMovie, keywords: 'uploads library' },
  { href: '/api-keys', title: 'API Keys', icon: IconKey, keywords: 'tokens secrets' },
  { href: '/usage', title: 'Usage', icon: IconChartBar, keywords: 'charts quota csv' },
  { href: '/viewers', title: 'Viewers', icon: IconUsersGroup, keywords: 'audience countries devices plays referrers live analytics' },
  { href: '/requests', title: 'Requests', icon: IconActivity, keywords: 'log errors calls why' },
  { href: '/webhooks', title: 'Webhooks', icon: IconWebhook, keywords: 'events deliveries endpoints' },
  { href: '/billing', title: 'Billing', icon: IconCreditCard, keywords: 'credit wallet invoices top up' },
  { href: '/team', title: 'Team', icon: IconUsers, keywords: 'members invitations roles people' },
  { href: '/settings', title: 'Settings', icon: IconSettings, keywords: 'account password sessions two-factor domains' },
] as const

/** Returns whether the page at `path` is this place or below it. */
export const isWithin = (path: string, href: string) => (href === '/' ? path === '/' : path === href || path.startsWith(`${href}/`))
