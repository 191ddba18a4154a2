import ts from 'typescript-6'

/** An expression whose value depends on more than the source. */
export class NotConstant extends Error {}

interface Closure {
  node: ts.ArrowFunction | ts.FunctionExpression | ts.FunctionDeclaration
  scope: Scope
}
type Scope = ReadonlyMap<ts.Symbol, Value>
type Value = string | number | boolean | null | undefined | RegExp | Value[] | { [name: string]: Value } | Closure

/** More alternatives of one text than this are not enumerated. */
const MOST = 256

/**
 * Returns every text that an expression can have, with conditions and parameters of a literal type taken either way. Errors: NotConstant.
 */
export function textsOf(node: ts.Expression, checker: ts.TypeChecker): string[] {
  const texts = new Set<string>()
  let trail: Choice[] = []
  for (let run = 0; run < MOST; run++) {
    const evaluation = new Evaluation(checker, trail)
    const value = evaluation.evaluate(node, new Map())
    if (typeof value !== 'string') throw new NotConstant(`not a text: ${node.getText()}`)
    texts.add(value)
    trail = evaluation.trail
    while (trail.length > 0 && (trail.at(-1) as Choice).taken === (trail.at(-1) as Choice).of.length - 1) trail.pop()
    const last = trail.at(-1)
    if (!last) return [...texts]
    last.taken++
  }
  throw new NotConstant(`more than ${MOST} alternatives`)
}

interface Choice {
  key: unknown
  taken: number
  of: Value[]
}

/** One evaluation, in which each condition and parameter has one value throughout. */
class Evaluation {
  readonly trail: Choice[]
  private readonly checker: ts.TypeChecker

  constructor(checker: ts.TypeChecker, trail: Choice[]) {
    this.checker = checker
    this.trail = trail
  }

  private choose(key: unknown, of: Value[]): Value {
    let choice = this.trail.find((one) => one.key === key)
    if (!choice) {
      choice = { key, taken: 0, of }
      this.trail.push(choice)
    }
    return choice.of[choice.taken]
  }

  evaluate(node: ts.Expression, scope: Scope): Value {
    if (ts.isStringLiteralLike(node)) return node.text
    if (ts.isNumericLiteral(node)) return Number(node.text.replaceAll('_', ''))
    if (node.kind === ts.SyntaxKind.TrueKeyword) return true
    if (node.kind === ts.SyntaxKind.FalseKeyword) return false
    if (node.kind === ts.SyntaxKind.NullKeyword) return null
    if (ts.isRegularExpressionLiteral(node)) return regularExpression(node.text)
    if (ts.isTemplateExpression(node))
      return node.head.text + node.templateSpans.map((span) => `${this.printed(span.expression, scope)}${span.literal.text}`).join('')
    if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isSatisfiesExpression(node) || ts.isNonNullExpression(node))
      return this.evaluate(node.expression, scope)
    if (ts.isArrowFunction(node) || ts.isFunctionExpression(node)) return { node, scope }
    if (ts.isArrayLiteralExpression(node))
      return node.elements.flatMap((one) =>
        ts.isSpreadElement(one) ? (this.evaluate(one.expression, scope) as Value[]) : [this.evaluate(one, scope)],
      )
    if (ts.isObjectLiteralExpression(node)) return this.object(node, scope)
    if (ts.isConditionalExpression(node)) return this.evaluate(this.isTrue(node.condition, scope) ? node.whenTrue : node.whenFalse, scope)
    if (ts.isBinaryExpression(node)) return this.binary(node, scope)
    if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken) return !this.evaluate(node.operand, scope)
    try {
      if (ts.isIdentifier(node)) return this.identifier(node, scope)
      if (ts.isPropertyAccessExpression(node)) return member(this.evaluate(node.expression, scope), node.name.text, node)
      if (ts.isElementAccessExpression(node))
        return member(this.evaluate(node.expression, scope), String(this.evaluate(node.argumentExpression, scope)), node)
      if (ts.isCallExpression(node)) return this.call(node, scope)
    } catch (error) {
      if (!(error instanceof NotConstant)) throw error
    }
    return this.oneOfType(node)
  }

  private printed(node: ts.Expression, scope: Scope): string {
    const value = this.evaluate(node, scope)
    if (typeof value === 'object' && !Array.isArray(value)) throw new NotConstant(node.getText())
    return String(value)
  }

  private isTrue(node: ts.Expression, scope: Scope): boolean {
    try {
      return Boolean(this.evaluate(node, scope))
    } catch (error) {
      if (!(error instanceof NotConstant)) throw error
      return Boolean(this.choose(node.getText(), [true, false]))
    }
  }

  private object(node: ts.ObjectLiteralExpression, scope: Scope): Value {
    const made: { [name: string]: Value } = {}
    for (const one of node.properties) {
      if (ts.isPropertyAssignment(one)) made[nameOf(one.name)] = this.lazily(one.initializer, scope)
      else if (ts.isShorthandPropertyAssignment(one)) made[one.name.text] = this.lazily(one.name, scope)
      else if (ts.isSpreadAssignment(one)) Object.assign(made, this.evaluate(one.expression, scope))
      else throw new NotConstant(node.getText())
    }
    return made
  }

  /** A property that is not constant is absent. */
  private lazily(node: ts.Expression, scope: Scope): Value {
    try {
      return this.evaluate(node, scope)
    } catch (error) {
      if (!(error instanceof NotConstant)) throw error
      return undefined
    }
  }

  private binary(node: ts.BinaryExpression, scope: Scope): Value {
    const { left, right, operatorToken } = node
    switch (operatorToken.kind) {
      case ts.SyntaxKind.PlusToken:
        return this.printed(left, scope) + this.printed(right, scope)
      case ts.SyntaxKind.EqualsEqualsEqualsToken:
        return this.evaluate(left, scope) === this.evaluate(right, scope)
      case ts.SyntaxKind.ExclamationEqualsEqualsToken:
        return this.evaluate(left, scope) !== this.evaluate(right, scope)
      case ts.SyntaxKind.QuestionQuestionToken:
        return this.evaluate(left, scope) ?? this.evaluate(right, scope)
      case ts.SyntaxKind.BarBarToken:
        return this.evaluate(left, scope) || this.evaluate(right, scope)
      case ts.SyntaxKind.AmpersandAmpersandToken:
        return this.evaluate(left, scope) && this.evaluate(right, scope)
      default:
        throw new NotConstant(node.getText())
    }
  }

  private identifier(node: ts.Identifier, scope: Scope): Value {
    if (node.text === 'undefined') return undefined
    const found = ts.isShorthandPropertyAssignment(node.parent)
      ? this.checker.getShorthandAssignmentValueSymbol(node.parent)
      : this.checker.getSymbolAtLocation(node)
    if (!found) throw new NotConstant(node.text)
    if (scope.has(found)) return scope.get(found)
    const symbol = found.flags & ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(found) : found
    const declaration = symbol.valueDeclaration
    if (declaration && ts.isFunctionDeclaration(declaration)) return { node: declaration, scope: new Map() }
    if (
      declaration &&
      ts.isVariableDeclaration(declaration) &&
      declaration.initializer &&
      ts.getCombinedNodeFlags(declaration) & ts.NodeFlags.Const
    )
      return this.evaluate(declaration.initializer, scope)
    if (declaration && ts.isBindingElement(declaration)) {
      const { parent } = declaration.parent
      if (ts.isVariableDeclaration(parent) && parent.initializer && ts.isObjectBindingPattern(declaration.parent))
        return member(
          this.evaluate(parent.initializer, scope),
          nameOf((declaration.propertyName ?? declaration.name) as ts.PropertyName),
          node,
        )
    }
    throw new NotConstant(node.text)
  }

  private oneOfType(node: ts.Expression): Value {
    const type = this.checker.getTypeAtLocation(node)
    const members = type.isUnion() ? type.types : [type]
    if (!members.every((one) => one.isStringLiteral() || one.isNumberLiteral())) throw new NotConstant(node.getText())
    const symbol = this.checker.getSymbolAtLocation(node)
    return this.choose(
      symbol ?? node.getText(),
      members.map((one) => (one as ts.LiteralType).value as string | number),
    )
  }

  private call(node: ts.CallExpression, scope: Scope): Value {
    const args = node.arguments.map((one) => this.evaluate(one, scope))
    if (ts.isPropertyAccessExpression(node.expression)) {
      const { expression, name } = node.expression
      if (expression.getText() === 'Object') return ofObject(name.text, args[0], node)
      const on = this.evaluate(expression, scope)
      if (Array.isArray(on) || typeof on === 'string') return this.builtIn(on, name.text, args, node)
    }
    return this.apply(this.evaluate(node.expression, scope), args, node)
  }

  private apply(callee: Value, args: Value[], node: ts.Node): Value {
    if (!isClosure(callee)) throw new NotConstant(node.getText())
    const scope = new Map(callee.scope)
    callee.node.parameters.forEach((parameter, index) => {
      const given = args[index]
      this.bind(parameter.name, given === undefined && parameter.initializer ? this.evaluate(parameter.initializer, scope) : given, scope)
    })
    const { body } = callee.node
    if (!body) throw new NotConstant(node.getText())
    if (!ts.isBlock(body)) return this.evaluate(body, scope)
    const returned = this.run(body.statements, scope)
    if (!returned) throw new NotConstant(node.getText())
    return returned.value
  }

  private run(statements: readonly ts.Statement[], scope: Map<ts.Symbol, Value>): { value: Value } | undefined {
    for (const one of statements) {
      if (ts.isReturnStatement(one)) return { value: one.expression && this.evaluate(one.expression, scope) }
      if (ts.isVariableStatement(one)) {
        for (const { name, initializer } of one.declarationList.declarations)
          if (initializer) this.bind(name, this.lazily(initializer, scope), scope)
      } else if (ts.isIfStatement(one)) {
        const taken = this.isTrue(one.expression, scope) ? one.thenStatement : one.elseStatement
        const returned = taken && this.run(ts.isBlock(taken) ? taken.statements : [taken], scope)
        if (returned) return returned
      } else throw new NotConstant(one.getText())
    }
    return undefined
  }

  private bind(name: ts.BindingName, value: Value, scope: Map<ts.Symbol, Value>): void {
    if (ts.isIdentifier(name)) {
      const symbol = this.checker.getSymbolAtLocation(name)
      if (symbol && value !== undefined) scope.set(symbol, value)
      return
    }
    name.elements.forEach((one, index) => {
      if (ts.isOmittedExpression(one)) return
      const key = ts.isObjectBindingPattern(name) ? nameOf((one.propertyName ?? one.name) as ts.PropertyName) : String(index)
      const part = value && typeof value === 'object' ? (value as { [name: string]: Value })[key] : undefined
      this.bind(one.name, part === undefined && one.initializer ? this.evaluate(one.initializer, scope) : part, scope)
    })
  }

  private builtIn(on: string | Value[], name: string, args: Value[], node: ts.Node): Value {
    if (Array.isArray(on)) {
      if (name === 'map') return on.map((one, index) => this.apply(args[0], [one, index], node))
      if (name === 'flatMap') return on.flatMap((one, index) => this.apply(args[0], [one, index], node) as Value[])
      if (name === 'filter') return on.filter((one, index) => this.apply(args[0], [one, index], node))
      if (name === 'join') return on.join(args[0] as string)
      if (name === 'includes') return on.includes(args[0])
      if (name === 'slice') return on.slice(args[0] as number, args[1] as number)
    } else if (typeof on[name as 'trim'] === 'function' && args.every((one) => !isClosure(one)))
      return (on[name as 'trim'] as (...args: Value[]) => Value).apply(on, args)
    throw new NotConstant(node.getText())
  }
}

const isClosure = (value: Value): value is Closure =>
  typeof value === 'object' && value !== null && 'node' in value && 'scope' in value && value.scope instanceof Map

function member(value: Value, name: string, node: ts.Node): Value {
  if (value === null || typeof value !== 'object' || isClosure(value)) throw new NotConstant(node.getText())
  const found = (value as { [name: string]: Value })[name]
  if (found === undefined || typeof found === 'function') throw new NotConstant(node.getText())
  return found
}

function nameOf(name: ts.PropertyName): string {
  if (ts.isComputedPropertyName(name)) throw new NotConstant(name.getText())
  return name.text
}

function ofObject(name: string, value: Value, node: ts.Node): Value {
  if (value === null || typeof value !== 'object') throw new NotConstant(node.getText())
  if (name === 'keys') return Object.keys(value)
  if (name === 'values') return Object.values(value)
  if (name === 'entries') return Object.entries(value)
  throw new NotConstant(node.getText())
}

function regularExpression(text: string): RegExp {
  const end = text.lastIndexOf('/')
  return new RegExp(text.slice(1, end), text.slice(end + 1))
}
