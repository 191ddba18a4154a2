import { Anchor } from '@mantine/core'
import { Link } from '../../../_ui/Link'

/** Renders the name of a key as a link to its page. */
export function KeyLink({ id, name }: { id: string; name: string }) {
  return (
    <Anchor component={Link} href={`/api-keys/${id}`} inherit fw={600}>
      {name}
    </Anchor>
  )
}
