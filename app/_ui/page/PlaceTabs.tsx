import { Link } from '../Link'
import classes from './PlaceTabs.module.css'

interface Props<Href extends string> {
  label: string
  places: readonly { href: Href; title: string }[]
  here: Href
}

/** Renders related pages as tabs above each of them. */
export function PlaceTabs<Href extends string>({ label, places, here }: Props<Href>) {
  return (
    <nav aria-label={label} className={classes.tabs} data-many={places.length > 3 || undefined}>
      {places.map(({ href, title }) => (
        <Link key={href} href={href} className={classes.tab} aria-current={href === here ? 'page' : undefined}>
          {title}
        </Link>
      ))}
    </nav>
  )
}
