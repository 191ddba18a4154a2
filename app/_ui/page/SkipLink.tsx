import classes from './SkipLink.module.css'

/** Renders the first link in tab order, which skips the repeated parts of the page to the element `content`. */
export function SkipLink() {
  return (
    <a className={classes.skip} href="#content">
      Skip to content
    </a>
  )
}
