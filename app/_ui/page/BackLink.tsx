import { Anchor } from '@mantine/core'
import { IconChevronLeft } from '@tabler/icons-react'
import { Link } from '../Link'
import classes from './BackLink.module.css'

/** Leads from the page of one thing to the list of all. */
export const BackLink = ({ href, children }: { href: string; children: string }) => (
  <Anchor component={Link} href={href} className={classes.back}>
    <IconChevronLeft size={15} />
    {children}
  </Anchor>
)
