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

/** The dashboard's pages, in the order of the navigation. `letter` opens it after G; `keywords` are further search terms. */
export const PLACES = [
  { href: '/', letter: 'o', title: 'Overview', icon: IconLayoutDashboard, keywords: 'home start dashboard' },
  { href: '/videos', letter: 'v', title: 'Videos', icon: IconMovie, keywords: 'uploads library' },
  { href: '/api-keys', letter: 'k', title: 'API Keys', icon: IconKey, keywords: 'tokens secrets' },
  { href: '/usage', letter: 'u', title: 'Usage', icon: IconChartBar, keywords: 'charts quota csv' },
  {
    href: '/viewers',
    letter: 'a',
    title: 'Viewers',
    icon: IconUsersGroup,
    keywords: 'audience people countries devices plays referrers live analytics',
  },
  { href: '/requests', letter: 'r', title: 'Requests', icon: IconActivity, keywords: 'log errors calls why' },
  { href: '/webhooks', letter: 'w', title: 'Webhooks', icon: IconWebhook, keywords: 'events deliveries endpoints' },
  { href: '/billing', letter: 'b', title: 'Billing', icon: IconCreditCard, keywords: 'credit wallet invoices top up' },
  { href: '/team', letter: 't', title: 'Team', icon: IconUsers, keywords: 'members invitations roles people' },
  { href: '/settings', letter: 's', title: 'Settings', icon: IconSettings, keywords: 'account password sessions two-factor domains' },
] as const

/** Returns whether the page at `path` is this place or below it. */
export const isWithin = (path: string, href: string) => (href === '/' ? path === '/' : path === href || path.startsWith(`${href}/`))
