import description from '../server/http/openapi.json'

/** An endpoint as people know it. */
export interface EndpointName {
  operation: string
  method: string
  path: string
}

interface Operation {
  operationId: string
}

/** Every endpoint of the public API, from its description: on the server alone, which hands browsers what they show. */
export const ENDPOINTS: EndpointName[] = Object.entries(description.paths as Record<string, Record<string, Operation>>).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => ({ operation: operationId, method: method.toUpperCase(), path })),
)
