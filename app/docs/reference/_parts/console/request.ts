/** What the console needs to know of an operation. */
export interface ConsoleOperation {
  operationId: string
  method: string
  path: string
  /** The scope of the key that the operation requires; undefined where it requires none. */
  scope?: string
  parameters: ConsoleParameter[]
  /** The JSON body to begin with. */
  body?: string
  /** Whether the body is a file. */
  takesFile: boolean
}

export interface ConsoleParameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  /** The value to begin with. */
  value: string
}

export interface ConsoleInput {
  values: Record<string, string>
  body: string
  file: File | undefined
}

export interface PreparedRequest {
  method: string
  /** Path and query on this installation. */
  url: string
  headers: Record<string, string>
  body?: string | File
}

/** Returns what prevents the request from being sent, as a sentence; undefined when nothing does. */
export function problemOf({ parameters, body, takesFile }: ConsoleOperation, input: ConsoleInput): string | undefined {
  const missing = parameters.find(({ name, required }) => required && !input.values[name]?.trim())
  if (missing) return `Enter a value for ${missing.name}.`
  if (takesFile && !input.file) return 'Choose a file.'
  if (body === undefined || input.body.trim() === '') return undefined
  try {
    JSON.parse(input.body)
    return undefined
  } catch (error) {
    return `The body is not JSON: ${(error as Error).message}`
  }
}

/** Returns the request that the console sends. Parameters without a value are left out. */
export function requestOf(operation: ConsoleOperation, { values, body, file }: ConsoleInput, key: string | undefined): PreparedRequest {
  const given = operation.parameters.flatMap((one) => {
    const value = values[one.name]?.trim()
    return value ? [{ ...one, value }] : []
  })
  const placed = (place: string) => given.filter((one) => one.in === place)
  const path = placed('path').reduce((whole, { name, value }) => whole.replace(`{${name}}`, encodeURIComponent(value)), operation.path)
  const query = new URLSearchParams(placed('query').map(({ name, value }) => [name, value])).toString()
  const json = operation.body !== undefined && body.trim() !== ''
  const headers = {
    ...(key && { 'x-service-key': key }),
    ...(json && { 'Content-Type': 'application/json' }),
    ...(operation.takesFile && { 'Content-Type': 'application/octet-stream' }),
    ...Object.fromEntries(placed('header').map(({ name, value }) => [name, value])),
  }
  const content = operation.takesFile ? file : json ? body : undefined
  return { method: operation.method, url: query ? `${path}?${query}` : path, headers, ...(content !== undefined && { body: content }) }
}
