import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { Guide, Section } from '../../_parts/Guide'
import { PAGES, REFERENCE } from '../../_parts/pages'
import { ObjectSection } from '../_parts/ObjectSection'
import { OperationSection } from '../_parts/OperationSection'
import { OBJECTS, OPERATIONS, slugOf, TAGS } from '../_parts/operations'

interface Props {
  params: Promise<{ tag: string }>
}

async function tagOf({ params }: Props) {
  const { tag: slug } = await params
  const tag = TAGS.find(({ name }) => slugOf(name) === slug)
  return tag && PAGES.some(({ href }) => href === `${REFERENCE}/${slug}`) ? tag : notFound()
}

export async function generateMetadata(props: Props): Promise<Metadata> {
  return { title: `${(await tagOf(props)).name} API` }
}

/** The operations of a tag, and the objects that several of them return. */
export default async function TagReference(props: Props) {
  const { name, description } = await tagOf(props)
  const objects = [...OBJECTS].filter(([, tag]) => tag === name)
  return (
    <Guide href={`${REFERENCE}/${slugOf(name)}`} title={name} lead={description} wide>
      {OPERATIONS.filter(({ tags }) => tags.includes(name)).map((operation) => (
        <Section key={operation.operationId} id={operation.operationId} title={operation.summary}>
          <OperationSection operation={operation} />
        </Section>
      ))}
      {objects.map(([object]) => (
        <Section key={object} id={`object-${object}`} title={`${object} object`}>
          <ObjectSection name={object} />
        </Section>
      ))}
    </Guide>
  )
}
