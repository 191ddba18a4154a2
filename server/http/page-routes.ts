import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { PathTree } from './path-tree.ts'

/** A route, and the values of its parameters by name. */
export interface MatchedRoute {
  /** In OpenAPI's form, such as `/videos/{videoId}`. */
  route: string
  params: Record<string, string>
}

/** The HTTP server's own routes. */
const OWN = ['/healthz', '/readyz', '/api/upload', '/api/upload/{upload}', '/api/upload/{upload}/{signature}', '/_next/{...file}']

/**
 * Reads the folders of `app/` and returns a function that finds a path's route: the access log and traces have no other name for what Next
 * serves. The function returns undefined if no route matches.
 */
export function pageRoutes(appDir: string): (path: string) => MatchedRoute | undefined {
  const routes = new PathTree<string>()
  for (const route of [...OWN, ...routesIn(appDir, '')]) routes.set(route, route.replace('...', ''))
  return (path) => {
    const found = routes.find(`/${path.split('/').filter(Boolean).join('/')}`)
    return found && { route: found.value, params: found.params }
  }
}

function routesIn(dir: string, path: string): string[] {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    if (/^(?:route|page)\.tsx?$/.test(entry.name)) return [path || '/']
    // A page for unknown addresses is not a route: clients choose those paths.
    if (!entry.isDirectory() || entry.name.startsWith('_') || entry.name === '[...missing]') return []
    // Folders in parentheses group pages and are not part of their URL.
    const part = entry.name.startsWith('(') ? '' : `/${entry.name.replace(/^\[\[?([^[\]]+)\]\]?$/, '{$1}')}`
    const inside = routesIn(join(dir, entry.name), path + part)
    return entry.name.startsWith('[[') ? [path, ...inside] : inside
  })
}
