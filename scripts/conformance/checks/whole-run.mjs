// Judges all requests of the run, so these checks are last.
import { setImmediate as turn } from 'node:timers/promises'
import { about } from '../expect.mjs'
import { makeValidator } from '../json-schema.mjs'

export const wholeRunChecks = [
  {
    id: 'run.request-ids',
    section: 'additive',
    title: 'Every response has a unique request id',
    needs: [],
    run(seen, { client }) {
      const ids = client.exchanges.map((exchange) => exchange.headers['x-request-id'])
      const without = client.exchanges.filter((exchange) => !exchange.headers['x-request-id'])
      seen.equal('responses without one', without.map(about), [])
      seen.equal('duplicate ids', ids.length - new Set(ids).size, 0)
    },
  },
  {
    id: 'run.described',
    section: 'additive',
    title: 'Every response matches the served description: status and body',
    needs: [],
    async run(seen, { client }) {
      const api = (await client.request('/v1/openapi.json')).json
      const paths = Object.entries(api?.paths ?? {}).map(([path, operations]) => ({ pattern: patternOf(path), operations }))
      const problems = makeValidator(api ?? {})
      const reported = new Set()
      let judged = 0
      for (const exchange of client.exchanges) {
        // The work may take seconds. Without turns of the loop, the next request would use a connection that the server has closed.
        await turn()
        const path = exchange.path.split('?', 1)[0]
        // A fixed segment has priority over a placeholder, as in the service.
        const candidates = paths.filter(({ pattern }) => pattern.expression.test(path)).sort((a, b) => a.pattern.holes - b.pattern.holes)
        const operation = candidates[0]?.operations[exchange.method.toLowerCase()]
        if (!operation) continue
        judged++
        const response = operation.responses[exchange.status]
        const once = (what, ...rest) => !reported.has(what) && reported.add(what) && seen.drift(what, ...rest)
        if (!response) once(`${operation.operationId} ${exchange.status}`, 'a described status', exchange.text.slice(0, 200))
        else if (response.content) {
          const found = problems(response.content['application/json'].schema, exchange.json)
          if (found.length > 0) once(`body of ${operation.operationId} ${exchange.status}`, 'valid against its schema', found.slice(0, 5))
        } else if (exchange.length > 0) once(`body of ${operation.operationId} ${exchange.status}`, 'none', exchange.text.slice(0, 200))
        for (const name of Object.keys(response?.headers ?? {}))
          if (!(name.toLowerCase() in exchange.headers))
            once(`header ${name} of ${operation.operationId} ${exchange.status}`, 'present, as described', 'nothing')
      }
      seen.that('responses checked', judged > 20, 'more than 20', judged)
    },
  },
]

function patternOf(path) {
  const source = path.split(/(\{\w+\})/).map((part) => (part.startsWith('{') ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')))
  return { expression: new RegExp(`^${source.join('')}$`), holes: (path.match(/\{/g) ?? []).length }
}
