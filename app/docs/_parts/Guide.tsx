import type { ReactNode } from 'react'
import { Link } from '../../_ui/Link'
import { Contents } from './Contents'
import classes from './Guide.module.css'
import { GROUPS, PAGES, titleOf } from './pages'
import { Snippet } from './Snippet'
import { type SectionRef, sectionsOf } from './sections'

interface Props {
  href: string
  /** By default the one in the navigation. */
  title?: string
  /** What the reader has achieved at the end of the page. */
  lead: string
  /** What to do next: a phrase for each address. */
  next?: Record<string, string>
  /** Whether the content takes the whole width, for pages with columns of their own. */
  wide?: boolean
  children: ReactNode
}

/** Renders a page of the docs: its title, its outcome, its sections with a table of contents, and links to the pages that follow. */
export function Guide({ href, title, lead, next, wide = false, children }: Props) {
  const sections = sectionsOf(children, Section)
  const group = GROUPS.find(({ pages }) => pages.some((page) => page.href === href))
  return (
    <div className={classes.page}>
      <main id="content" tabIndex={-1} className={classes.guide} data-wide={wide || undefined}>
        {group && <p className={classes.group}>{group.title}</p>}
        <h1>{title ?? titleOf(href)}</h1>
        <p className={classes.lead}>{lead}</p>
        {sections.length > 1 && <FoldedContents sections={sections} />}
        {children}
        {next && <NextSteps next={next} />}
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

function NextSteps({ next }: { next: Record<string, string> }) {
  return (
    <section aria-label="Next steps">
      <h2>Next steps</h2>
      <ul>
        {Object.entries(next).map(([href, step]) => (
          <li key={href}>
            <Link href={href}>{step}</Link>
          </li>
        ))}
      </ul>
    </section>
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

interface NeedsProps {
  /** The scope of the API key that the code of the page requires. */
  scope?: string
  /** Whether the code is about one video. */
  video?: boolean
  children?: ReactNode
}

/** Renders what a reader needs before the first section: other prerequisites, and a key with its variables of the shell. */
export function Needs({ scope, video = false, children }: NeedsProps) {
  const variables = ['export REELGATE_URL=https://video.example.com', 'export REELGATE_API_KEY=ak_live_…']
  if (video) variables.push('export VIDEO_ID=vid_3kTMd9cXv0dRr1gB7JmQeA')
  return (
    <div className={classes.needs}>
      <p>
        <b>Before you start</b>
      </p>
      {children}
      {scope && (
        <>
          <p data-search="off">
            Create an <a href="/api-keys">API key</a> with the scope <code>{scope}</code>. Set these variables on your server or in your
            shell, with the whole key: you see it once, when you create it, and never on these pages.
          </p>
          <Snippet label="Shell" code={variables.join('\n')} />
        </>
      )}
    </div>
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
