import { Marked } from '../../../_ui/Marked'
import type { Field } from './fields'
import classes from './Reference.module.css'

/** Lists the values of an object, those of nested objects folded. `asked` marks which of them a caller must send. */
export function Fields({ fields, asked = false, label }: { fields: Field[]; asked?: boolean; label?: string }) {
  return (
    <ul className={classes.fields} aria-label={label}>
      {fields.map((field) => (
        <li key={field.name}>
          <div className={classes.field}>
            <code>{field.name}</code>{' '}
            <span className={classes.type}>{field.href ? <a href={field.href}>{field.type}</a> : field.type}</span>
            {asked && field.required && <span className={classes.required}>required</span>}
          </div>
          {field.description && (
            <p>
              <Marked>{field.description}</Marked>
            </p>
          )}
          {field.facts.length > 0 && (
            <p className={classes.facts}>
              <Marked>{field.facts.join(' ')}</Marked>
            </p>
          )}
          {field.fields.length > 0 && (
            <details className={classes.nested} open={field.name === 'data'}>
              <summary>
                Values of <code>{field.name}</code>
              </summary>
              <Fields fields={field.fields} asked={asked} />
            </details>
          )}
        </li>
      ))}
    </ul>
  )
}
