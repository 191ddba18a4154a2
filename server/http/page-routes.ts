import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** A route, and the values of its parameters by name. */
export interface MatchedRoute {
  /** In OpenAPI's form, such as `/videos/{videoId}`. */
  route: string
  params: Record<string, string>
}

interface Folder {
  fixed: Map<string, Folder>
  any?: { name: string; folder: Folder }
  rest?: string
  isRoute: boolean
}

const newFolder = (): Folder => ({ fixed: new Map(), isRoute: false })

/** The HTTP server's own routes. */
const OWN = ['/healthz', '/readyz', '/api/upload', '/api/upload/{upload}', '/api/upload/{upload}/{signature}', '/_next/{...file}']

/**
 * Reads the folders of `app/` and returns a function that finds a path's route: the access log and traces have no other name for what Next
 * serves. The function returns undefined if no route matches.
 */
export function pageRoutes(appDir: string): (path: string) => MatchedRoute | undefined {
  const root = newFolder()
  visit(appDir, root)
  for (const path of OWN) path.split('/').slice(1).reduce(step, root).isRoute = true
  return (path) => match(root, path.split('/').slice(1).filter(Boolean))
}

function visit(dir: string, folder: Folder): void {
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    if (/^(?:route|page)\.tsx?$/.test(entry.name)) folder.isRoute = true
    // A page for unknown addresses is not a route: clients choose those paths.
    if (!entry.isDirectory() || entry.name.startsWith('_') || entry.name === '[...missing]') continue
    // Folders in parentheses group pages and are not part of their URL.
    const next = entry.name.startsWith('(') ? folder : step(folder, entry.name.replace(/^\[\[?([^[\]]+)\]\]?$/, '{$1}'))
    visit(join(dir, entry.name), next)
  }
}

function step(folder: Folder, part: string): Folder {
  const [, rest, name] = /^\{(\.{3})?(.+)\}$/.exec(part) ?? []
  if (rest && name) {
    folder.rest = name
    return newFolder()
  }
  if (name) {
    folder.any ??= { name, folder: newFolder() }
    return folder.any.folder
  }
  const next = folder.fixed.get(part) ?? newFolder()
  folder.fixed.set(part, next)
  return next
}

function match(root: Folder, parts: string[]): MatchedRoute | undefined {
  const params: Record<string, string> = {}
  let folder = root
  let route = ''
  for (const [at, part] of parts.entries()) {
    const fixed = folder.fixed.get(part)
    if (fixed) {
      route += `/${part}`
      folder = fixed
    } else if (folder.any) {
      route += `/{${folder.any.name}}`
      params[folder.any.name] = part
      folder = folder.any.folder
    } else if (folder.rest) return { route: `${route}/{${folder.rest}}`, params: { ...params, [folder.rest]: parts.slice(at).join('/') } }
    else return undefined
  }
  return folder.isRoute || folder.rest ? { route: route || '/', params } : undefined
}
