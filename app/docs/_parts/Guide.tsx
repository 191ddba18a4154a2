import type { ReactNode } from 'react'
import { Link } from '../../_ui/Link'
import classes from './Guide.module.css'
import { PAGES } from './pages'

/** Renders a guide: its title, its purpose, its sections, and a link to the next guide. */
export function Guide({ href, title, lead, children }: { href: string; title: string; lead: string; children: ReactNode }) {
  const after = PAGES[PAGES.findIndex((page) => page.href === href) + 1]
  return (
    <main id="content" className={classes.guide}>
      <h1>{title}</h1>
      <p className={classes.lead}>{lead}</p>
      {children}
      {after && (
        <Link href={after.href} className={classes.next}>
          <small>Next</small>
          {after.title}
        </Link>
      )}
    </main>
  )
}

/** Renders a section of a guide with its own address. */
export function Section({ id, title, children }: { id: string; title: ReactNode; children: ReactNode }) {
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>
        <a href={`#${id}`}>{title}</a>
      </h2>
      {children}
    </section>
  )
}
