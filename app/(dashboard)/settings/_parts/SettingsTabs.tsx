import { PageHeader } from '../../../_ui/page/PageHeader'
import { PlaceTabs } from '../../../_ui/page/PlaceTabs'

const TABS = [
  { href: '/settings', title: 'Account' },
  { href: '/settings/notifications', title: 'Notifications' },
  { href: '/settings/security', title: 'Security' },
  { href: '/settings/receipts', title: 'Receipts' },
] as const

/** Renders the heading and the tabs of the account's settings and the user's own. */
export const SettingsTabs = ({ here }: { here: (typeof TABS)[number]['href'] }) => (
  <>
    <PageHeader title="Settings" purpose="Manage your account, how you sign in, alerts and receipts." />
    <PlaceTabs label="Settings" places={TABS} here={here} />
  </>
)
