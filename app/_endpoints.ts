import description from '../server/http/openapi.json'

/** The name of an endpoint as the documentation shows it. */
export interface EndpointName {
  operation: string
  method: string
  path: string
}

interface Operation {
  operationId: string
}

/**
 * Lists every endpoint of the public API, read from its description. Used on the server alone, which sends browsers only what they display.
 */
export const ENDPOINTS: EndpointName[] = Object.entries(description.paths as Record<string, Record<string, Operation>>).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => ({ operation: operationId, method: method.toUpperCase(), path })),
)
