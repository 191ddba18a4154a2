import classes from './SkipLink.module.css'

/** The first thing a keyboard reaches: past everything that every page repeats, to the element `content`. */
export function SkipLink() {
  return (
    <a className={classes.skip} href="#content">
      Skip to content
    </a>
  )
}
