import { IconMapOff } from '@tabler/icons-react'
import { PlainButton } from '../form/PlainButton'
import { EmptyState } from './EmptyState'

/** Says that a page does not exist; `home` is the page of the area to go on from. */
export function MissingPage({ home, to }: { home: string; to: string }) {
  return (
    <EmptyState wholePage icon={<IconMapOff size={20} />} title="Page not found" action={<PlainButton href={home}>Go to {to}</PlainButton>}>
      Check the URL. The page may have moved.
    </EmptyState>
  )
}
