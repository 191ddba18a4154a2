import { Anchor } from '@mantine/core'
import { Link } from '../../../_ui/Link'

interface Props {
  id: string
  name: string
  /** Whether it is part of a sentence, where colour alone does not mark a link. */
  inText?: boolean
}

/** Renders the name of a key as a link to its page. */
export function KeyLink({ id, name, inText = false }: Props) {
  return (
    <Anchor component={Link} href={`/api-keys/${id}`} inherit fw={600} underline={inText ? 'always' : 'hover'}>
      {name}
    </Anchor>
  )
}
