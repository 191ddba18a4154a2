/** A place in the docs that the search finds: a page, or a section of one. */
export interface Entry {
  href: string
  title: string
  /** The title of its page. */
  page: string
  text: string
}
