import { PlaceTabs } from '../../../_ui/PlaceTabs'

const TABS = [
  { href: '/settings', title: 'Account' },
  { href: '/settings/security', title: 'Security' },
  { href: '/settings/receipts', title: 'Receipts' },
] as const

/** What concerns everybody in the account, and what concerns oneself. */
export function SettingsTabs({ here }: { here: (typeof TABS)[number]['href'] }) {
  return <PlaceTabs label="Settings" places={TABS} here={here} />
}
