import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { Link } from '../../../_ui/Link'
import { PageHeader } from '../../../_ui/page/PageHeader'
import classes from './_parts/Guide.module.css'
import { GUIDES, guideTitle, readGuide } from './_parts/read-guide'

interface Props {
  params: Promise<{ guide: string }>
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { guide } = await params
  return { title: GUIDES.includes(guide) ? guideTitle(guide) : 'Guides' }
}

/** Shows a guide of docs/ in the installed version, to which warnings link. */
export default async function GuidePage({ params }: Props) {
  const { guide } = await params
  if (!GUIDES.includes(guide)) notFound()
  const { html, sections } = readGuide(guide)
  return (
    <>
      <PageHeader title={guideTitle(guide)} purpose="For the installed version." />
      <div className={classes.two}>
        <nav aria-label="Guides" className={classes.guides}>
          <ul>
            {GUIDES.map((name) => (
              <li key={name}>
                <Link href={`/operator/guides/${name}`} aria-current={name === guide ? 'page' : undefined}>
                  {guideTitle(name)}
                </Link>
                {name === guide && (
                  <ul>
                    {sections.map(({ id, title }) => (
                      <li key={id}>
                        <a href={`#${id}`}>{title}</a>
                      </li>
                    ))}
                  </ul>
                )}
              </li>
            ))}
          </ul>
        </nav>
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: the text is part of the program */}
        <article className={classes.guide} dangerouslySetInnerHTML={{ __html: html }} />
      </div>
    </>
  )
}
