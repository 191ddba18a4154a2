import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

/**
 * Returns a function that validates a value against a JSON Schema of this OpenAPI 3.1 document. It returns the violations, one per line;
 * none if the value is valid. A schema with an unknown keyword or format is reported, so that no value passes unchecked.
 */
export function makeValidator(api) {
  const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true, strictTypes: false })
  addFormats.default(ajv)
  // `components` is where references point. `example` and names that start with `x-` are OpenAPI's.
  const extensions = new Set([...JSON.stringify(api).matchAll(/"(x-[\w-]+)":/g)].map(([, name]) => name))
  ajv.addVocabulary(['components', 'example', ...extensions])
  const compiled = new Map()
  return (schema, value) => {
    try {
      const validate = compiled.get(schema) ?? ajv.compile({ ...schema, components: api.components })
      compiled.set(schema, validate)
      return validate(value) ? [] : validate.errors.map(describeError)
    } catch (error) {
      return [`cannot judge: ${error.message}`]
    }
  }
}

const describeError = ({ instancePath, message, params }) => `$${instancePath}: ${message} ${JSON.stringify(params)}`
