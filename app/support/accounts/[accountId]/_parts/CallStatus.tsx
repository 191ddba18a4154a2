import { StatusMark } from '../../../../_ui/StatusMark'
import classes from '../../../_parts/Lists.module.css'

/** Shows the status of a response, and the code of an error. */
export function CallStatus({ status, code }: { status: number; code: string | null }) {
  return (
    <>
      <StatusMark status={status} /> {code && <span className={classes.code}>{code}</span>}
    </>
  )
}
