import { Link } from '../../../_ui/Link'
import classes from './PersonLink.module.css'

interface Props {
  /** Its address names a person by it: addresses are logged. */
  reference: string
  id: string
  /** Whether touching its whole row opens the page. */
  row?: boolean
}

/** Shows a viewer's ID, which leads to their page. */
export const PersonLink = ({ reference, id, row = false }: Props) => (
  <Link
    href={`/viewers/people/${reference}`}
    className={`${classes.id} ${row ? 'rg-row-link' : ''}`}
    title={id.length > 40 ? id : undefined}
  >
    <bdi>{id}</bdi>
  </Link>
)
