import { PlaceTabs } from '../../../_ui/PlaceTabs'

const TABS = [
  { href: '/team', title: 'Members' },
  { href: '/team/audit-log', title: 'Audit log' },
] as const

/** The two pages about people: who they are, and what they did. */
export function TeamTabs({ here }: { here: (typeof TABS)[number]['href'] }) {
  return <PlaceTabs label="Team" places={TABS} here={here} />
}
