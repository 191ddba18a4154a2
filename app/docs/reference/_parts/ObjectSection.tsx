import { Marked } from '../../../_ui/Marked'
import { Snippet } from '../../_parts/Snippet'
import { Fields } from './Fields'
import { fieldsOf } from './fields'
import { schemaNamed } from './operations'
import classes from './Reference.module.css'

/** Renders a named object: its values and an example. */
export function ObjectSection({ name }: { name: string }) {
  const schema = schemaNamed(name)
  const example = schema.examples?.[0]
  return (
    <div className={classes.operation}>
      <div className={classes.words}>
        {schema.description && (
          <p>
            <Marked>{schema.description}</Marked>
          </p>
        )}
        <Fields fields={fieldsOf(schema)} />
      </div>
      {example !== undefined && (
        <div className={classes.samples}>
          <Snippet label="Example" code={JSON.stringify(example, null, 2)} />
        </div>
      )}
    </div>
  )
}
