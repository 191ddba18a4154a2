import { IconMapOff } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { PlainButton } from '../form/PlainButton'
import { EmptyState } from './EmptyState'

interface Props {
  /** The page to go on from. */
  home: string
  /** The text of the button, after “Go to”. */
  to: string
  title?: string
  children?: ReactNode
}

/** Says that a page, or what it is about, does not exist. */
export function MissingPage({ home, to, title = 'Page not found', children = 'Check the URL. The page may have moved.' }: Props) {
  return (
    <EmptyState wholePage icon={<IconMapOff size={20} />} title={title} action={<PlainButton href={home}>Go to {to}</PlainButton>}>
      {children}
    </EmptyState>
  )
}
