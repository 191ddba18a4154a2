/** How the list is drawn. */
export interface Layout {
  view: 'table' | 'grid'
  dense: boolean
}

/** Holds the layout in the browser, so that the server renders the page as it was left. */
export const LAYOUT_COOKIE = 'reelgate-videos'

/** Reads the cookie; anything else is a table with high rows. */
export function readLayout(text = ''): Layout {
  const [view, density] = text.split('.')
  return { view: view === 'grid' ? 'grid' : 'table', dense: density === 'dense' }
}

/** Returns the cookie for `document.cookie`: for a year, of the list alone. */
export const writeLayout = ({ view, dense }: Layout) =>
  `${LAYOUT_COOKIE}=${view}.${dense ? 'dense' : 'high'}; path=/videos; max-age=31536000; samesite=lax`
