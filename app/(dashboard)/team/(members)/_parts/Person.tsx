import classes from './Team.module.css'

/** Shows a member's e-mail address. */
export function Person({ email, you = false }: { email: string; you?: boolean }) {
  return (
    <div className={classes.person}>
      <span className={classes.initial} aria-hidden="true">
        {email.slice(0, 1).toUpperCase()}
      </span>
      <span className={classes.email}>
        {email}
        {you && <span className={classes.you}>you</span>}
      </span>
    </div>
  )
}
