import { PlaceTabs } from '../../../_ui/page/PlaceTabs'

const PLACES = [
  { href: '/webhooks', title: 'Endpoints' },
  { href: '/webhooks/events', title: 'Events' },
] as const

/** Renders the tabs of webhooks: the endpoints, and the event log. */
export function WebhookNav({ here }: { here: (typeof PLACES)[number]['href'] }) {
  return <PlaceTabs label="Webhooks" places={PLACES} here={here} />
}
