/** A path's value, and the values of its parameters by name, decoded. */
export interface Found<Value> {
  value: Value
  params: Record<string, string>
}

/** Values by path in OpenAPI's form: a part is text or a parameter, `{name}`, and the last one may stand for all others, `{...name}`. */
export class PathTree<Value> {
  private readonly fixed = new Map<string, PathTree<Value>>()
  private any: { name: string; tree: PathTree<Value> } | undefined
  private rest: { name: string; value: Value } | undefined
  private value: Value | undefined

  set(path: string, value: Value): void {
    let tree: PathTree<Value> = this
    for (const part of path.slice(1).split('/')) {
      const [, dots, name] = /^\{(\.{3})?(.+)\}$/.exec(part) ?? []
      if (name && dots) {
        tree.rest = { name, value }
        return
      }
      let next = name ? tree.any?.tree : tree.fixed.get(part)
      if (!next) {
        next = new PathTree()
        if (name) tree.any = { name, tree: next }
        else tree.fixed.set(part, next)
      }
      tree = next
    }
    tree.value = value
  }

  /** Returns the value of a path, in which text comes before parameters. Undefined if there is none. */
  find(path: string): Found<Value> | undefined {
    const params: Record<string, string> = {}
    let tree: PathTree<Value> = this
    for (let from = 1; from <= path.length; ) {
      const to = path.indexOf('/', from)
      const part = path.slice(from, to < 0 ? path.length : to)
      const fixed = tree.fixed.get(part)
      if (fixed) tree = fixed
      else if (tree.any && part !== '') {
        params[tree.any.name] = decode(part)
        tree = tree.any.tree
      } else if (tree.rest) {
        params[tree.rest.name] = path.slice(from)
        return { value: tree.rest.value, params }
      } else return undefined
      from = to < 0 ? path.length + 1 : to + 1
    }
    return tree.value === undefined ? undefined : { value: tree.value, params }
  }
}

/** Decodes a part. One with invalid percent-encoding stays as it is, and is then refused like any unknown ID. */
function decode(part: string): string {
  if (!part.includes('%')) return part
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
