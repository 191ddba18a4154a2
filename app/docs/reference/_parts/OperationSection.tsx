import { Marked } from '../../../_ui/Marked'
import { Languages } from '../../_parts/Languages'
import { Snippet } from '../../_parts/Snippet'
import { consoleOf } from './console/console-of'
import { TryIt } from './console/TryIt'
import { ErrorList } from './ErrorList'
import { Fields } from './Fields'
import { fieldOf, fieldsOf, typeOf } from './fields'
import { dataOf, type Operation, ownErrors, type Parameter, successOf } from './operations'
import classes from './Reference.module.css'
import { clientOf, curlOf } from './samples'

const PLACES = { path: 'Path parameters', query: 'Query parameters', header: 'Request headers' } as const

/** Renders an operation: what it does, what it takes and returns, its errors, and examples of the request and the response. */
export function OperationSection({ operation }: { operation: Operation }) {
  const { method, path, description, security, parameters, requestBody } = operation
  const { status, content, response } = successOf(operation)
  const json = requestBody?.content['application/json']?.schema
  const scope = security[0]?.ApiKey?.[0]
  return (
    <div className={classes.operation}>
      <div className={classes.words}>
        <p className={classes.address}>
          <span data-method={method}>{method}</span>
          <code>{path}</code>
        </p>
        {description?.split('\n\n').map((text) => (
          <p key={text}>
            <Marked>{text}</Marked>
          </p>
        ))}
        <p className={classes.facts}>
          {scope ? (
            <>
              Requires a key with the scope <code>{scope}</code>.
            </>
          ) : (
            'Requires no API key.'
          )}
        </p>
        {(['path', 'query', 'header'] as const).map((place) => (
          <Parameters key={place} title={PLACES[place]} parameters={parameters.filter((one) => one.in === place)} />
        ))}
        {requestBody && (
          <>
            <h3>Request body</h3>
            {requestBody.description && <p>{requestBody.description}</p>}
            {json ? <Fields fields={fieldsOf(json)} asked /> : <p className={classes.facts}>{typesOf(Object.keys(requestBody.content))}</p>}
          </>
        )}
        <h3>Response {status}</h3>
        <Answer operation={operation} />
        <Errors operation={operation} />
        <p className={classes.facts}>
          Response headers:{' '}
          <Marked>
            {Object.keys(response.headers ?? {})
              .map((name) => `\`${name}\``)
              .join(', ')}
          </Marked>
        </p>
      </div>
      <div className={classes.samples}>
        <Languages
          shared
          programs={[
            { language: 'curl', program: <Snippet label="Request" code={curlOf(operation)} /> },
            { language: 'TypeScript', program: <Snippet label="Request" code={clientOf(operation)} /> },
          ]}
        />
        <TryIt operation={consoleOf(operation)} />
        {content?.example !== undefined && <Snippet label={`Response ${status}`} code={JSON.stringify(content.example, null, 2)} />}
      </div>
    </div>
  )
}

const typesOf = (types: string[]) => `A file: ${types.join(', ')}.`

function Parameters({ title, parameters }: { title: string; parameters: Parameter[] }) {
  if (parameters.length === 0) return null
  return (
    <>
      <h3>{title}</h3>
      <Fields
        asked
        fields={parameters.map(({ name, schema, required, description }) =>
          fieldOf(name, description ? { ...schema, description } : schema, required),
        )}
      />
    </>
  )
}

/** What `data` of the response contains, or the body without an envelope: its values, or a link to the object it is. */
function Answer({ operation }: { operation: Operation }) {
  const data = dataOf(operation)
  if (!data) return null
  const field = fieldOf('data', data, true)
  const { properties = {} } = successOf(operation).content?.schema ?? {}
  const rest = properties.data ? Object.entries(properties).filter(([name]) => name !== 'success' && name !== 'data') : []
  const fields = [...(field.href ? [field] : []), ...rest.map(([name, schema]) => fieldOf(name, schema, false))]
  const single = data.oneOf ?? data.items?.oneOf
  return (
    <>
      {field.href ? null : (
        <p className={classes.facts}>
          {properties.data ? <code>data</code> : 'The body'} is {/^[aeiou]/.test(typeOf(data)) ? 'an' : 'a'} {typeOf(data)}
          {field.fields.length > 0 && ' with these values'}
          {single ? ': any of the ' : '.'}
          {single ? <a href="/docs/reference/webhooks">webhook events</a> : null}
        </p>
      )}
      {!field.href && field.fields.length > 0 && <Fields fields={field.fields} />}
      {fields.length > 0 && <Fields fields={fields} />}
    </>
  )
}

/** The codes with which the operation can refuse a request, folded. */
function Errors({ operation }: { operation: Operation }) {
  const codes = ownErrors(operation)
  return (
    <details className={classes.errors} data-search="off">
      <summary>
        Errors{' '}
        <span>
          {Object.keys(operation.responses)
            .filter((status) => Number(status) >= 400)
            .join(' ')}
        </span>
      </summary>
      {codes.length > 0 && <ErrorList codes={codes} />}
      {operation.security.length > 0 && (
        <p>
          The operation can {codes.length > 0 && 'also '}return the <a href="/docs/reference#common-errors">common errors</a> of all
          operations that require a key.
        </p>
      )}
    </details>
  )
}
