import type pg from 'pg'

/** What is needed of the system catalogs. */
export interface Catalog {
  types: Map<number, { name: string; sql: string; kind: string; element: number; labels: string[] | null }>
  /** Columns that are NOT NULL, as `oid.attnum`. */
  notNull: Set<string>
  routines: Map<number, { name: string; isStrict: boolean; isOwn: boolean }>
  operators: Map<number, { name: string; routine: number }>
  /** Trees of the views, by their table's OID. */
  views: Map<number, string>
}

export async function readCatalog(client: pg.ClientBase): Promise<Catalog> {
  const all = async <Row>(sql: string) => (await client.query(sql)).rows as Row[]
  const types = await all<{ oid: number; name: string; sql: string; kind: string; element: number; labels: string[] | null }>(`
    SELECT t.oid, t.typname::text AS name, format_type(t.oid, NULL) AS sql, t.typtype AS kind,
      CASE WHEN t.typcategory = 'A' THEN t.typelem ELSE 0 END AS element,
      CASE WHEN t.typtype = 'e' THEN ARRAY(SELECT enumlabel::text FROM pg_enum WHERE enumtypid = t.oid ORDER BY enumsortorder) END AS labels
    FROM pg_type t`)
  const columns = await all<{ id: string }>(`SELECT attrelid || '.' || attnum AS id FROM pg_attribute WHERE attnotnull OR attnum < 0`)
  const routines = await all<{ oid: number; name: string; isStrict: boolean; isOwn: boolean }>(
    `SELECT oid, proname::text AS name, proisstrict AS "isStrict", pronamespace = 'public'::regnamespace AS "isOwn" FROM pg_proc`,
  )
  const operators = await all<{ oid: number; name: string; routine: number }>(
    `SELECT oid, oprname::text AS name, oprcode::oid AS routine FROM pg_operator`,
  )
  const views = await all<{ id: number; tree: string }>(
    `SELECT ev_class::oid AS id, ev_action::text AS tree FROM pg_rewrite JOIN pg_class c ON c.oid = ev_class WHERE relnamespace = 'public'::regnamespace`,
  )
  return {
    types: new Map(types.map(({ oid, ...type }) => [oid, type])),
    notNull: new Set(columns.map(({ id }) => id)),
    routines: new Map(routines.map(({ oid, ...routine }) => [oid, routine])),
    operators: new Map(operators.map(({ oid, ...operator }) => [oid, operator])),
    views: new Map(views.map(({ id, tree }) => [id, tree])),
  }
}

/** A node of a tree, as PostgreSQL writes it: `{VAR :varno 1 …}`. */
interface Tree {
  tag: string
  [field: string]: Part
}
type Part = string | null | Tree | Part[]

/** Functions that are strict and yet return null for arguments that are not. */
const PARTIAL = new Set([
  ...['->', '->>', '#>', '#>>', 'json_extract_path', 'json_extract_path_text', 'jsonb_extract_path', 'jsonb_extract_path_text'],
  ...['array_length', 'array_position', 'array_upper', 'array_lower', 'regexp_match', 'regexp_substr', 'to_regclass', 'to_regproc'],
])
/** Functions that are not strict and never return null. */
const TOTAL = new Set([
  ...['service_now', 'service_clock', 'concat', 'concat_ws', 'format', 'num_nulls', 'json_build_object', 'jsonb_build_object', 'array_cat'],
  ...['json_build_array', 'jsonb_build_array', 'array_append', 'array_prepend', 'new_event_id', 'list_metadata', 'rows_deleted_with'],
])
const ALWAYS_COUNTED = new Set(['count', 'row_number', 'rank', 'dense_rank', 'ntile', 'percent_rank', 'cume_dist'])
/** Null for no rows alone. */
const COLLECTING = new Set(['array_agg', 'json_agg', 'jsonb_agg', 'json_object_agg', 'jsonb_object_agg'])
/** Columns that may be null of our own functions that return rows. */
const NULLABLE_OF: Record<string, string[]> = {
  key_quota: ['quota_group', 'held', 'account_left'],
  grant_tokens: ['held', 'account_left'],
  transcode_next: [],
  admit_viewer_session: [],
}
const ROWS = new Set([
  'generate_series',
  'unnest',
  'jsonb_array_elements',
  'json_array_elements',
  'jsonb_object_keys',
  'regexp_split_to_table',
])

/** Returns for each column of a statement whether it can be null. An expression can, unless it is known that it cannot. */
export function mayBeNull(tree: string, catalog: Catalog): boolean[] {
  const parsed = parse(tree)
  const query = firstQuery(parsed)
  if (!query) return []
  return outputs(query).map((entry) => !new Nullability(catalog).isNotNull(entry.expr as Part, [query]))
}

class Nullability {
  private readonly catalog: Catalog
  /** Columns of recursive queries whose own rows are being asked about. */
  private readonly asked = new Set<string>()
  /** Columns then have the values from before. */
  private isWritten = false

  constructor(catalog: Catalog) {
    this.catalog = catalog
  }

  isNotNull(part: Part, scopes: Tree[]): boolean {
    if (!isTree(part)) return false
    const every = (parts: Part) => list(parts).every((one) => this.isNotNull(one, scopes))
    const some = (parts: Part) => list(parts).some((one) => this.isNotNull(one, scopes))
    switch (part.tag) {
      case 'CONST':
        return part.constisnull === 'false'
      case 'PARAM':
      case 'NULLTEST':
      case 'DISTINCTEXPR':
      case 'ARRAYEXPR':
      case 'ARRAY':
        return true
      case 'VAR':
        return this.isVarNotNull(part, scopes)
      case 'RELABELTYPE':
      case 'COERCEVIAIO':
      case 'COLLATEEXPR':
      case 'NAMEDARGEXPR':
        return this.isNotNull(part.arg as Part, scopes)
      case 'COALESCEEXPR':
      case 'MINMAXEXPR':
      case 'COALESCE':
      case 'MINMAX':
        return some(part.args as Part)
      case 'CASEEXPR':
      case 'CASE':
        return (
          this.isNotNull(part.defresult as Part, scopes) &&
          list(part.args as Part).every((one) => this.isNotNull((one as Tree).result as Part, scopes))
        )
      case 'FUNCEXPR':
        return this.isCallNotNull(Number(part.funcid), part.args as Part, scopes)
      case 'OPEXPR': {
        const operator = this.catalog.operators.get(Number(part.opno))
        return !!operator && !PARTIAL.has(operator.name) && this.isCallNotNull(operator.routine, part.args as Part, scopes)
      }
      case 'BOOLEXPR':
      case 'SCALARARRAYOPEXPR':
        return every(part.args as Part)
      case 'AGGREF':
        return this.isAggregateNotNull(part, scopes)
      case 'WINDOWFUNC': {
        const name = this.catalog.routines.get(Number(part.winfnoid))?.name ?? ''
        return ALWAYS_COUNTED.has(name) || (/^(sum|min|max|avg|first_value|last_value)$/.test(name) && every(part.args as Part))
      }
      case 'SUBLINK':
        return this.isSublinkNotNull(part, scopes)
      default:
        return false
    }
  }

  private isCallNotNull(routine: number, args: Part, scopes: Tree[]): boolean {
    const found = this.catalog.routines.get(routine)
    if (!found) return false
    if (TOTAL.has(found.name)) return true
    return found.isStrict && !PARTIAL.has(found.name) && list(args).every((one) => this.isNotNull(one, scopes))
  }

  private isAggregateNotNull(part: Tree, scopes: Tree[]): boolean {
    const name = this.catalog.routines.get(Number(part.aggfnoid))?.name ?? ''
    if (ALWAYS_COUNTED.has(name)) return true
    if (list((scopes[0] as Tree).groupClause as Part).length === 0 || isTree(part.aggfilter as Part)) return false
    return COLLECTING.has(name) || list(part.args as Part).every((one) => this.isNotNull((one as Tree).expr as Part, scopes))
  }

  private isSublinkNotNull(part: Tree, scopes: Tree[]): boolean {
    if (part.subLinkType === '0' || part.subLinkType === '6') return true
    if (scopes[0] && this.isProven(scopes[0], part)) return true
    const query = part.subselect as Tree
    if (part.subLinkType !== '4') return this.isNotNull(part.testexpr as Part, scopes)
    const [first] = outputs(query)
    return isOneRow(query) && !!first && this.isNotNull(first.expr as Part, [query, ...scopes])
  }

  private isVarNotNull(part: Tree, [...scopes]: Tree[]): boolean {
    scopes.splice(0, Number(part.varlevelsup))
    const [query] = scopes
    const attribute = Number(part.varattno)
    if (!query) return false
    if (this.isProven(query, part)) return true
    const written = this.writtenTo(query, part)
    if (written) {
      this.isWritten = true
      const isNotNull = this.isNotNull(written.expr as Part, scopes)
      this.isWritten = false
      if (isNotNull) return true
    }
    if (list(part.varnullingrels as Part).length > 1) return false
    const source = list(query.rtable as Part)[Number(part.varno) - 1] as Tree | undefined
    if (!source) return false
    if (attribute === 0) return true
    switch (source.rtekind) {
      case '0':
        if (source.relkind === 'v') return this.isViewColumnNotNull(Number(source.relid), attribute)
        return attribute <= 0 || this.catalog.notNull.has(`${source.relid}.${attribute}`)
      case '1':
        return this.isOutputNotNull(source.subquery as Tree, attribute, scopes)
      case '3': {
        const call = (list(source.functions as Part)[0] as Tree).funcexpr as Tree
        const name = this.catalog.routines.get(Number(call.funcid))?.name ?? ''
        const nullable = NULLABLE_OF[name]
        if (nullable) return !nullable.includes(String(list((source.eref as Tree).colnames as Part)[attribute - 1]))
        return ROWS.has(name) || (!this.catalog.routines.get(Number(call.funcid))?.isOwn && this.isNotNull(call, scopes)) || TOTAL.has(name)
      }
      case '5':
        return list(source.values_lists as Part).every((row) => this.isNotNull(list(row)[attribute - 1] ?? null, scopes))
      case '6':
        return this.isCteColumnNotNull(source, attribute, scopes)
      case '9':
        return this.isNotNull(list(source.groupexprs as Part)[attribute - 1] ?? null, scopes)
      default:
        return false
    }
  }

  /** What an UPDATE or INSERT writes to a column that it returns. */
  private writtenTo(query: Tree, { varno, varattno }: Tree): Tree | undefined {
    if (this.isWritten || !/^[23]$/.test(String(query.commandType)) || isTree(query.onConflict as Part) || varno !== query.resultRelation)
      return undefined
    return (list(query.targetList as Part) as Tree[]).find((one) => one.resno === varattno && one.resjunk === 'false')
  }

  private isOutputNotNull(query: Tree, attribute: number, scopes: Tree[]): boolean {
    const inner = [query, ...scopes]
    if (isTree(query.setOperations as Part))
      return leaves(query.setOperations as Tree).every((index) => {
        const source = list(query.rtable as Part)[index - 1] as Tree
        return this.isOutputNotNull(source.subquery as Tree, attribute, inner)
      })
    const entry = outputs(query)[attribute - 1]
    return !!entry && this.isNotNull(entry.expr as Part, inner)
  }

  private isCteColumnNotNull(source: Tree, attribute: number, scopes: Tree[]): boolean {
    const outer = scopes.slice(Number(source.ctelevelsup))
    const cte = list(outer[0]?.cteList as Part).find((one) => (one as Tree).ctename === source.ctename) as Tree | undefined
    if (!cte) return false
    const id = `${source.ctename}.${attribute}`
    if (this.asked.has(id)) return true
    this.asked.add(id)
    const isNotNull = this.isOutputNotNull(cte.ctequery as Tree, attribute, outer)
    this.asked.delete(id)
    return isNotNull
  }

  private isViewColumnNotNull(view: number, attribute: number): boolean {
    const tree = this.catalog.views.get(view)
    const query = tree && firstQuery(parse(tree))
    return !!query && this.isOutputNotNull(query, attribute, [])
  }

  /** Whether the conditions of the query hold for no row in which this column, or this expression, is null. */
  private isProven(query: Tree, wanted: Tree): boolean {
    const conditions: Part[] = []
    const collect = (part: Part) => {
      if (!isTree(part)) return
      if (part.tag === 'FROMEXPR') list(part.fromlist as Part).forEach(collect)
      if (part.tag === 'JOINEXPR' && part.jointype === '0') {
        collect(part.larg as Part)
        collect(part.rarg as Part)
      }
      if (part.tag === 'FROMEXPR' || (part.tag === 'JOINEXPR' && part.jointype === '0')) conditions.push(part.quals as Part)
    }
    collect(query.jointree as Part)
    return conditions.some((one) => this.proves(one, wanted))
  }

  private proves(condition: Part, wanted: Tree): boolean {
    if (!isTree(condition)) return false
    const args = list(condition.args as Part)
    if (condition.tag === 'BOOLEXPR') return condition.boolop === 'and' && args.some((one) => this.proves(one, wanted))
    if (condition.tag === 'NULLTEST') return condition.nulltesttype === '1' && this.needs(condition.arg as Part, wanted)
    return this.needs(condition, wanted)
  }

  /** Whether an expression is null where the column is. */
  private needs(part: Part, wanted: Tree): boolean {
    if (!isTree(part)) return false
    const args = list(part.args as Part)
    if (wanted.tag !== 'VAR') return shape(part) === shape(wanted)
    if (part.tag === 'VAR') return part.varno === wanted.varno && part.varattno === wanted.varattno && part.varlevelsup === '0'
    if (part.tag === 'RELABELTYPE' || part.tag === 'COERCEVIAIO') return this.needs(part.arg as Part, wanted)
    const routine =
      part.tag === 'FUNCEXPR'
        ? Number(part.funcid)
        : part.tag === 'OPEXPR' || part.tag === 'SCALARARRAYOPEXPR'
          ? this.catalog.operators.get(Number(part.opno))?.routine
          : undefined
    return !!routine && !!this.catalog.routines.get(routine)?.isStrict && args.some((one) => this.needs(one, wanted))
  }
}

/** An expression without its place in the text. */
const shape = (part: Part): string => JSON.stringify(part, (name, value) => (name === 'location' ? undefined : value))

const isTree = (part: Part | undefined): part is Tree => typeof part === 'object' && part !== null && !Array.isArray(part)
const list = (part: Part | undefined): Part[] => (Array.isArray(part) ? part : [])

/** The columns that a query returns. */
const outputs = (query: Tree): Tree[] => {
  const entries = query.commandType === '1' ? query.targetList : query.returningList
  return list(entries as Part).filter((one) => isTree(one) && one.resjunk === 'false') as Tree[]
}

/** Whether a query returns one row whatever the tables hold: an aggregate, or a SELECT without a table. */
function isOneRow(query: Tree): boolean {
  if (isTree(query.havingQual as Part) || isTree(query.limitCount as Part) || isTree(query.limitOffset as Part)) return false
  if (list(query.groupClause as Part).length > 0) return false
  if (query.hasAggs === 'true') return true
  const { fromlist, quals } = query.jointree as Tree
  const sources = list(fromlist as Part).map((one) => list(query.rtable as Part)[Number((one as Tree).rtindex) - 1] as Tree | undefined)
  return !isTree(quals as Part) && sources.every((one) => one?.rtekind === '1' && isOneRow(one.subquery as Tree))
}

function leaves(operation: Part): number[] {
  if (!isTree(operation)) return []
  if (operation.tag === 'RANGETBLREF') return [Number(operation.rtindex)]
  return [...leaves(operation.larg as Part), ...leaves(operation.rarg as Part)]
}

function firstQuery(part: Part | undefined): Tree | undefined {
  if (isTree(part)) return part.tag === 'QUERY' ? part : undefined
  return list(part).map(firstQuery).find(Boolean)
}

/** Parses what PostgreSQL's nodeToString() writes. */
function parse(text: string): Part {
  const tokens = text.match(/[(){}]|(?:\\.|[^\s(){}\\])+/gs) ?? []
  let at = 0
  const read = (): Part => {
    const token = tokens[at++] as string
    if (token === '(') {
      const parts: Part[] = []
      while (at < tokens.length && tokens[at] !== ')') parts.push(read())
      at++
      return parts
    }
    if (token !== '{') return token === '<>' ? null : token.replaceAll(/\\(.)/gs, '$1')
    const tree: Tree = { tag: tokens[at++] as string }
    while (at < tokens.length && tokens[at] !== '}') {
      const field = (tokens[at++] as string).slice(1)
      const parts: Part[] = []
      while (at < tokens.length && tokens[at] !== '}' && !/^:[a-zA-Z_]/.test(tokens[at] as string)) parts.push(read())
      tree[field] = parts.length === 1 ? (parts[0] as Part) : parts
    }
    at++
    return tree
  }
  return read()
}
