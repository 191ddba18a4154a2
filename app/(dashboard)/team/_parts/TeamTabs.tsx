import { PlaceTabs } from '../../../_ui/page/PlaceTabs'

const TABS = [
  { href: '/team', title: 'Members' },
  { href: '/team/audit-log', title: 'Audit log' },
] as const

/** Renders the tabs of the team: the members, and the audit log. */
export function TeamTabs({ here }: { here: (typeof TABS)[number]['href'] }) {
  return <PlaceTabs label="Team" places={TABS} here={here} />
}
