import { Children, isValidElement, type JSXElementConstructor, type ReactNode } from 'react'

/** A section of a page: the id of its heading, and its title. */
export interface SectionRef {
  id: string
  title: ReactNode
}

type Nested = { id?: string; title?: ReactNode; children?: ReactNode }

/**
 * Returns the sections among `children`, in order. Looks into fragments and elements; the content of other components is unknown, so a
 * component that renders sections is called as a function where the page is built.
 */
export function sectionsOf(children: ReactNode, section: JSXElementConstructor<never>): SectionRef[] {
  return Children.toArray(children).flatMap((child): SectionRef[] => {
    if (!isValidElement<Nested>(child)) return []
    const { id, title, children: nested } = child.props
    return child.type === section && id ? [{ id, title }] : sectionsOf(nested, section)
  })
}
