import { PlaceTabs } from '../../../_ui/page/PlaceTabs'

const TABS = [
  { href: '/settings', title: 'Account' },
  { href: '/settings/notifications', title: 'Notifications' },
  { href: '/settings/security', title: 'Security' },
  { href: '/settings/receipts', title: 'Receipts' },
] as const

/** Renders the tabs of the account's settings and the user's own. */
export function SettingsTabs({ here }: { here: (typeof TABS)[number]['href'] }) {
  return <PlaceTabs label="Settings" places={TABS} here={here} />
}
