import { relative } from 'node:path'
import ts from 'typescript-6'
import { NotConstant, textsOf } from './evaluate.ts'

/** A TypeScript type, as far as values of a database need it. */
export interface Kinds {
  /** `any` accepts everything; `array` has `of`. */
  names: Set<'string' | 'number' | 'bigint' | 'boolean' | 'Date' | 'bytes' | 'Decimal' | 'object' | 'array' | 'null' | 'undefined' | 'any'>
  of?: Kinds
  /** The values of a union of string literals. */
  literals?: string[]
}

/** An SQL statement in the source. */
export interface Statement {
  /** `server/file.ts:12` */
  at: string
  /** Prisma returns other values than pg for some types. */
  through: 'pg' | 'prisma'
  /** Every text that it can have. */
  texts: string[]
  /** The declared row; undefined where no rows are read, or without names. */
  row: Map<string, { kinds: Kinds; optional: boolean }> | undefined
  /** The types of the parameters; undefined where their number is not known. */
  values: Kinds[] | undefined
}

/** A call whose text is made at run time. */
export interface Unread {
  at: string
  why: string
}

/** Returns the statements that the files of a project run, read by the compiler. */
export function readStatements(root: string, files: string[]): { statements: Statement[]; unread: Unread[] } {
  const config = ts.readConfigFile(`${root}/tsconfig.json`, ts.sys.readFile).config
  const { options } = ts.convertCompilerOptionsFromJson({ ...config.compilerOptions, plugins: [], incremental: false }, root)
  const program = ts.createProgram(files, options)
  const checker = program.getTypeChecker()
  const statements: Statement[] = []
  const unread: Unread[] = []
  for (const file of files) {
    const source = program.getSourceFile(file) as ts.SourceFile
    const visit = (node: ts.Node): void => {
      const run = ts.isCallExpression(node) || ts.isTaggedTemplateExpression(node) ? runOf(node, checker) : undefined
      if (run) {
        const at = `${relative(root, file)}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`
        try {
          const part = run.parts.find((one) => checker.getTypeAtLocation(one).getSymbol()?.name === 'Sql')
          if (part) throw new NotConstant(`a part of SQL: ${part.getText()}`)
          const texts = typeof run.text === 'string' ? [run.text] : textsOf(run.text, checker)
          statements.push({ at, through: run.through, texts, row: rowOf(run.node, checker), values: run.values() })
        } catch (error) {
          if (!(error instanceof NotConstant)) throw error
          unread.push({ at, why: error.message })
        }
      }
      ts.forEachChild(node, visit)
    }
    visit(source)
  }
  return { statements, unread }
}

interface Run {
  node: ts.CallExpression | ts.TaggedTemplateExpression
  through: 'pg' | 'prisma'
  text: ts.Expression | string
  /** Values of a tagged template, where Prisma puts parts of SQL into the text. */
  parts: readonly ts.Expression[]
  values(): Kinds[] | undefined
}

/** Returns what a call runs; undefined for other calls. */
function runOf(node: ts.CallExpression | ts.TaggedTemplateExpression, checker: ts.TypeChecker): Run | undefined {
  if (ts.isTaggedTemplateExpression(node)) {
    if (!ts.isPropertyAccessExpression(node.tag) || !/^\$(query|execute)Raw$/.test(node.tag.name.text)) return undefined
    const { template } = node
    const spans = ts.isTemplateExpression(template) ? template.templateSpans : []
    const text = ts.isTemplateExpression(template)
      ? template.head.text + spans.map(({ literal }, index) => `$${index + 1}${literal.text}`).join('')
      : template.text
    const parts = spans.map(({ expression }) => expression)
    return { node, through: 'prisma', text, parts, values: () => listOf(parts, checker) }
  }
  const [first, second, third] = node.arguments
  if (ts.isIdentifier(node.expression) && /^(query|queryByIndex)$/.test(node.expression.text) && second)
    return { node, through: 'pg', text: second, parts: [], values: () => third && elementsOf(third, checker) }
  if (!ts.isPropertyAccessExpression(node.expression) || !first) return undefined
  const name = node.expression.name.text
  if (/^\$(query|execute)RawUnsafe$/.test(name))
    return { node, through: 'prisma', text: first, parts: [], values: () => listOf(node.arguments.slice(1), checker) }
  if (name !== 'query' || !isOfPg(node.expression, checker)) return undefined
  if (!ts.isObjectLiteralExpression(first))
    return { node, through: 'pg', text: first, parts: [], values: () => (second ? elementsOf(second, checker) : []) }
  const property = (wanted: string) =>
    first.properties.find((one) => one.name?.getText() === wanted) as ts.PropertyAssignment | ts.ShorthandPropertyAssignment | undefined
  const text = property('text')
  if (!text) return undefined
  const values = property('values')
  return {
    node,
    through: 'pg',
    text: ts.isPropertyAssignment(text) ? text.initializer : text.name,
    parts: [],
    values: () => (values ? elementsOf(ts.isPropertyAssignment(values) ? values.initializer : values.name, checker) : []),
  }
}

function isOfPg(node: ts.PropertyAccessExpression, checker: ts.TypeChecker): boolean {
  const declarations = checker.getSymbolAtLocation(node.name)?.declarations ?? []
  return declarations.some((one) => /node_modules\/@types\/pg/.test(one.getSourceFile().fileName))
}

/** The types of the elements of an array; undefined when it has any number of them. */
function elementsOf(node: ts.Expression, checker: ts.TypeChecker): Kinds[] | undefined {
  if (ts.isArrayLiteralExpression(node)) return listOf(node.elements, checker)
  if (ts.isIdentifier(node)) {
    const declaration = checker.getSymbolAtLocation(node)?.valueDeclaration
    if (
      declaration &&
      ts.isVariableDeclaration(declaration) &&
      declaration.initializer &&
      ts.isArrayLiteralExpression(declaration.initializer)
    )
      return listOf(declaration.initializer.elements, checker)
  }
  return tupleOf(checker.getTypeAtLocation(node), checker)
}

function listOf(nodes: readonly ts.Expression[], checker: ts.TypeChecker): Kinds[] | undefined {
  const lists = nodes.map((one) =>
    ts.isSpreadElement(one) ? elementsOf(one.expression, checker) : [kindsOf(checker.getTypeAtLocation(one), checker)],
  )
  return lists.every((one) => one !== undefined) ? lists.flat() : undefined
}

const tupleOf = (type: ts.Type, checker: ts.TypeChecker) =>
  checker.isTupleType(type) ? checker.getTypeArguments(type as ts.TypeReference).map((one) => kindsOf(one, checker)) : undefined

function rowOf(node: ts.CallExpression | ts.TaggedTemplateExpression, checker: ts.TypeChecker): Statement['row'] {
  const row = declaredRow(node, checker)
  if (!row || row.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown) || row.isUnion()) return undefined
  const properties = checker.getPropertiesOfType(row)
  if (properties.length === 0 || checker.isArrayLikeType(row)) return undefined
  return new Map(
    properties.map((one) => [
      one.name,
      { kinds: kindsOf(checker.getTypeOfSymbolAtLocation(one, node), checker), optional: Boolean(one.flags & ts.SymbolFlags.Optional) },
    ]),
  )
}

/** The type argument, so that the compiler need not resolve the call; what it infers where there is none. */
function declaredRow(node: ts.CallExpression | ts.TaggedTemplateExpression, checker: ts.TypeChecker): ts.Type | undefined {
  const [argument] = node.typeArguments ?? []
  const isList = ts.isTaggedTemplateExpression(node) || !/query(ByIndex)?$/.test(node.expression.getText())
  if (argument) {
    const type = checker.getTypeFromTypeNode(argument)
    return isList ? type.getNumberIndexType() : type
  }
  if (isList) return undefined
  const returned = checker.getAwaitedType(checker.getTypeAtLocation(node))
  const rows = returned?.getProperty('rows')
  return (rows ? checker.getTypeOfSymbolAtLocation(rows, node) : returned)?.getNumberIndexType()
}

function kindsOf(type: ts.Type, checker: ts.TypeChecker): Kinds {
  const kinds: Kinds = { names: new Set() }
  const members = type.isUnion() ? type.types : [type]
  const literals = members.filter((one) => one.isStringLiteral())
  if (literals.length > 0 && !members.some((one) => one.flags & (ts.TypeFlags.String | ts.TypeFlags.TemplateLiteral)))
    kinds.literals = literals.map((one) => one.value)
  for (const one of members) addKind(kinds, one, checker)
  return kinds
}

const FLAGS: [ts.TypeFlags, 'string' | 'number' | 'bigint' | 'boolean' | 'null' | 'undefined' | 'any'][] = [
  [ts.TypeFlags.StringLike, 'string'],
  [ts.TypeFlags.NumberLike, 'number'],
  [ts.TypeFlags.BigIntLike, 'bigint'],
  [ts.TypeFlags.BooleanLike, 'boolean'],
  [ts.TypeFlags.Null, 'null'],
  [ts.TypeFlags.Undefined | ts.TypeFlags.Void, 'undefined'],
  [ts.TypeFlags.Any | ts.TypeFlags.Unknown, 'any'],
]

function addKind(kinds: Kinds, type: ts.Type, checker: ts.TypeChecker): void {
  const flag = FLAGS.find(([flags]) => type.flags & flags)
  if (flag) {
    kinds.names.add(flag[1])
    return
  }
  if (type.isIntersection()) {
    // A branded text is a text.
    const primitive = type.types.find((one) => FLAGS.some(([flags]) => one.flags & flags))
    if (primitive) {
      addKind(kinds, primitive, checker)
      return
    }
  }
  if (type.flags & (ts.TypeFlags.TypeParameter | ts.TypeFlags.IndexedAccess)) {
    const constraint = checker.getBaseConstraintOfType(type)
    if (constraint && constraint !== type)
      for (const one of constraint.isUnion() ? constraint.types : [constraint]) addKind(kinds, one, checker)
    else kinds.names.add('any')
    return
  }
  const name = type.getSymbol()?.name
  if (checker.isArrayLikeType(type) && !/^(Buffer|Uint8Array)$/.test(name ?? '')) {
    kinds.names.add('array')
    const of = type.getNumberIndexType()
    if (of) kinds.of = kindsOf(of, checker)
  } else if (name === 'Date' || name === 'Decimal') kinds.names.add(name)
  else kinds.names.add(/^(Buffer|Uint8Array)$/.test(name ?? '') ? 'bytes' : 'object')
}
