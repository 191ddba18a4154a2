import type { ReactNode } from 'react'
import { Link } from '../../_ui/Link'
import { Contents } from './Contents'
import classes from './Guide.module.css'
import { GROUPS, PAGES } from './pages'
import { type SectionRef, sectionsOf } from './sections'

interface Props {
  href: string
  title: string
  lead: string
  /** Whether the content takes the whole width, for pages with columns of their own. */
  wide?: boolean
  children: ReactNode
}

/** Renders a page of the docs: its title, its purpose, its sections with a table of contents, and links to the pages before and after it. */
export function Guide({ href, title, lead, wide = false, children }: Props) {
  const sections = sectionsOf(children, Section)
  const group = GROUPS.find(({ pages }) => pages.some((page) => page.href === href))
  return (
    <div className={classes.page}>
      <main id="content" tabIndex={-1} className={classes.guide} data-wide={wide || undefined}>
        {group && <p className={classes.group}>{group.title}</p>}
        <h1>{title}</h1>
        <p className={classes.lead}>{lead}</p>
        {sections.length > 1 && <FoldedContents sections={sections} />}
        {children}
        <Neighbours href={href} />
      </main>
      {sections.length > 1 && (
        <nav className={classes.contents} aria-labelledby="on-this-page">
          <p id="on-this-page">On this page</p>
          <div>
            <Contents sections={sections} />
          </div>
        </nav>
      )}
    </div>
  )
}

/** The table of contents of a narrow window: above the content, folded. */
function FoldedContents({ sections }: { sections: SectionRef[] }) {
  return (
    <details className={classes.folded}>
      <summary>On this page</summary>
      <nav aria-label="On this page">
        <Contents sections={sections} />
      </nav>
    </details>
  )
}

/** Links to the pages before and after this one, in reading order. */
function Neighbours({ href }: { href: string }) {
  const at = PAGES.findIndex((page) => page.href === href)
  const [before, after] = [PAGES[at - 1], PAGES[at + 1]]
  return (
    <nav aria-label="Previous and next page" className={classes.neighbours}>
      {before && (
        <Link href={before.href} rel="prev" className={classes.neighbour}>
          <small>Previous</small>
          {before.title}
        </Link>
      )}
      {after && (
        <Link href={after.href} rel="next" className={`${classes.neighbour} ${classes.next}`}>
          <small>Next</small>
          {after.title}
        </Link>
      )}
    </nav>
  )
}

/** Renders a section of a page with its own address. */
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
