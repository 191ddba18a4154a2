'use client'

import NextLink from 'next/link'
import { type ComponentProps, useState } from 'react'

/**
 * A link whose page is prefetched once the user points at it, focuses or touches it. A page has about twenty links: prefetching all of them
 * would take more of the server's time than the page.
 */
export function Link({ onMouseEnter, onFocus, onTouchStart, ...props }: ComponentProps<typeof NextLink>) {
  const [isIntended, setIntended] = useState(false)
  const intend =
    <Args extends unknown[]>(handler?: (...args: Args) => void) =>
    (...args: Args) => {
      setIntended(true)
      handler?.(...args)
    }
  return (
    <NextLink
      prefetch={isIntended ? null : false}
      {...props}
      onMouseEnter={intend(onMouseEnter)}
      onFocus={intend(onFocus)}
      onTouchStart={intend(onTouchStart)}
    />
  )
}
