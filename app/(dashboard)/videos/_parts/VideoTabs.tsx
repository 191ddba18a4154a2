import { PlaceTabs } from '../../../_ui/page/PlaceTabs'

const PLACES = [
  { href: '/videos', title: 'Library' },
  { href: '/videos/uploads', title: 'Uploads' },
] as const

/** Renders the tabs of the videos: the library, and the uploads and imports that lead to it. */
export function VideoTabs({ here }: { here: (typeof PLACES)[number]['href'] }) {
  return <PlaceTabs label="Videos" places={PLACES} here={here} />
}
