import { PlaceTabs } from '../../../_ui/page/PlaceTabs'

const TABS = [
  { href: '/viewers', title: 'Analytics' },
  { href: '/viewers/people', title: 'People' },
] as const

/** Renders the tabs of viewers: figures about all of them, and the people whom tokens name. */
export function ViewersTabs({ here }: { here: (typeof TABS)[number]['href'] }) {
  return <PlaceTabs label="Viewers" places={TABS} here={here} />
}
