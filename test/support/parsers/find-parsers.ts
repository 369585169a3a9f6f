import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

/** Types of what comes from outside as it was written. */
const TEXT_TYPE = /\b(?:string|Uint8Array|Buffer|Headers)\b/
/** Looks at the characters of a text, beyond comparing it. */
const LOOKS_INSIDE =
  /\.(?:split|match|matchAll|exec|test|replace|replaceAll|search|charCodeAt|codePointAt|indexOf|lastIndexOf)\(|JSON\.parse\(/
const READER_NAME = /^(?:parse|read|split|decode|unescape|tokenize|trim)(?:[A-Z]|$)/
/** Files whose main export reads, whatever it takes: classes and functions of a stream. */
const READER_FILE =
  /(?:^|\/)(?:(?:parse|read)-[^/]*|[^/]*-tokens|(?:[^/]*-)?(?:decoder|parser|reader))\.ts$/

const isExported = (node: ts.Statement): boolean =>
  ts.canHaveModifiers(node) &&
  ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true

const takesText = (
  parameters: readonly ts.ParameterDeclaration[],
  source: ts.SourceFile,
): boolean =>
  parameters.some(({ type }) => {
    const text = type?.getText(source) ?? ''
    return TEXT_TYPE.test(text) && !text.includes('=>')
  })

/** Names of the exported functions and classes of a file that read texts. */
const readersIn = (source: ts.SourceFile): string[] => {
  const found: string[] = []
  const judge = (
    name: string,
    parameters: readonly ts.ParameterDeclaration[],
    body: ts.Node | undefined,
  ): void => {
    if (!takesText(parameters, source)) return
    if (READER_NAME.test(name) || LOOKS_INSIDE.test(body?.getText(source) ?? '')) found.push(name)
  }
  for (const statement of source.statements) {
    if (!isExported(statement)) continue
    if (ts.isFunctionDeclaration(statement))
      judge(statement.name?.text ?? '', statement.parameters, statement.body)
    if (ts.isVariableStatement(statement))
      for (const { name, initializer } of statement.declarationList.declarations)
        if (initializer !== undefined && ts.isArrowFunction(initializer))
          judge(name.getText(source), initializer.parameters, initializer.body)
  }
  return found
}

/**
 * `FILE EXPORT` of every exported function that takes a text (or bytes, or header
 * fields) and reads it, by its name or because it looks at characters, and `FILE *`
 * for files that say by their name that they read but have no such function.
 *
 * @param root the project
 */
export const findParsers = (root: string): string[] =>
  globSync('{handlers,adapters,edge-cache,cli}/**/*.ts', { cwd: root })
    .toSorted()
    .flatMap((file) => {
      const text = readFileSync(join(root, file), 'utf8')
      const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest)
      const names = readersIn(source)
      if (names.length === 0 && READER_FILE.test(file)) names.push('*')
      return names.map((name) => `${file} ${name}`)
    })
