import { ERRORS, type ErrorCode } from '#server/errors'
import { DETAILS } from '#server/http/openapi/openapi-details'
import { Fields } from './Fields'
import { fieldOf } from './fields'
import classes from './Reference.module.css'

/** Lists codes with their status, message and the values of `details`. */
export function ErrorList({ codes }: { codes: readonly ErrorCode[] }) {
  return (
    <ul className={classes.codes}>
      {codes.map((code) => (
        <li key={code}>
          <div className={classes.field}>
            <a href={`/docs/errors#${code}`}>
              <code>{code}</code>
            </a>
            <span className={classes.type}>{ERRORS[code].status}</span>
          </div>
          <p>{ERRORS[code].message}</p>
          <Details code={code} />
        </li>
      ))}
    </ul>
  )
}

/** The values of `details` of an error. */
function Details({ code }: { code: ErrorCode }) {
  const { schema } = DETAILS[code] ?? {}
  if (!schema) return null
  return <Fields fields={[fieldOf('details', schema, false)]} />
}
