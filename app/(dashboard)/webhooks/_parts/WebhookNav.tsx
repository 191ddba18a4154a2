import { PlaceTabs } from '../../../_ui/PlaceTabs'

const PLACES = [
  { href: '/webhooks', title: 'Endpoints' },
  { href: '/webhooks/events', title: 'Events' },
] as const

/** The two pages of webhooks: where events go, and what happened. */
export function WebhookNav({ here }: { here: (typeof PLACES)[number]['href'] }) {
  return <PlaceTabs label="Webhooks" places={PLACES} here={here} />
}
