import type { MDXComponents } from 'mdx/types'

/** Returns what elements of Markdown render as in the guides: as themselves. Next requires this file for `.mdx` pages. */
export const useMDXComponents = (): MDXComponents => ({})
