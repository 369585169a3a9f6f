import { readdirSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { readEnvvars } from '#handlers/domain/legacy/apache/read-envvars.ts'
import type { LegacySource } from '#handlers/domain/legacy/convert-legacy.ts'
import { CliError } from '../cli-error.ts'
import { printable } from '../terminal/printable.ts'
import { sourceFiles } from './source-files.ts'

type Kind = LegacySource['kind']

const MAIN_FILES: readonly (readonly [Kind, string])[] = [
  ['nginx', 'nginx.conf'],
  ['nginx', 'conf/nginx.conf'],
  ['apache', 'apache2.conf'],
  ['apache', 'conf/httpd.conf'],
  ['apache', 'httpd.conf'],
]

const APACHE_SECTION = /^<\/?(?:VirtualHost|Directory|IfModule|IfDefine|Location|Files|Macro)/i
const APACHE_DIRECTIVE =
  /^(?:ServerRoot|DocumentRoot|LoadModule|IncludeOptional|ServerName|Listen|RewriteEngine)\s[^;{]*$/i
const NGINX_BLOCK = /(?:^|\s)(?:(?:server|http|events)$|(?:location|upstream)\s)/

/** What a text is, by signs that only one of the two has. */
const kindOfText = (text: string): Kind | null => {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => !line.startsWith('#'))
  const apache = lines.some((line) => APACHE_SECTION.test(line) || APACHE_DIRECTIVE.test(line))
  // What stands before each opening brace, from the end of the statement before it.
  const heads = lines
    .join('\n')
    .split('{')
    .slice(0, -1)
    .map((piece) => piece.slice(Math.max(piece.lastIndexOf(';'), piece.lastIndexOf('}')) + 1))
  const nginx = heads.some((head) => NGINX_BLOCK.test(head.trimEnd()))
  if (apache === nginx) return null
  return apache ? 'apache' : 'nginx'
}

const readOrFail = (path: string): string => {
  const found = sourceFiles.read(path)
  if ('reason' in found) throw new CliError(`${path} ${found.reason}`)
  return found.text
}

/** Where relative paths begin: beside the server's main file, which a part of its configuration lies below. */
const baseOf = (path: string, kind: Kind): string => {
  for (let at = path; ; at = dirname(at)) {
    for (const [of, name] of MAIN_FILES) {
      if (of !== kind || !sourceFiles.exists(join(at, name))) continue
      // Apache begins above `conf`, nginx beside its file.
      return kind === 'nginx' ? dirname(join(at, name)) : at
    }
    if (dirname(at) === at) return path
  }
}

const sourceOf = (kind: Kind, paths: string[], base: string): LegacySource => {
  const envvars = sourceFiles.read(join(base, 'envvars'))
  return kind === 'apache' && 'text' in envvars
    ? { kind, paths, base, environment: readEnvvars(envvars.text) }
    : { kind, paths, base }
}

const unclear = (input: string): CliError =>
  new CliError(
    `${printable(input)} is neither a configuration of Apache httpd nor of nginx. Name the server's main file, its directory (such as /etc/apache2), or a file of sites.`,
  )

const fromDirectory = (input: string): LegacySource => {
  const found = MAIN_FILES.filter(([, name]) => sourceFiles.exists(join(input, name)))
  const kinds = new Set(found.map(([kind]) => kind))
  if (kinds.size > 1)
    throw new CliError(`${input} holds files of both servers. Name the main file of one of them.`)
  const [main] = found
  if (main !== undefined) {
    const [kind, name] = main
    const path = join(input, name)
    return sourceOf(kind, [path], kind === 'nginx' ? dirname(path) : input)
  }
  const paths = readdirSync(input)
    .filter((name) => !/^\.|~$|\.(?:bak|dpkg-\w+|rpm\w+|swp)$/.test(name))
    .sort()
    .map((name) => join(input, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile())
  const texts = paths.map((path) => kindOfText(readOrFail(path)))
  const named = new Set(texts.filter((kind) => kind !== null))
  const [kind] = named
  if (named.size > 1)
    throw new CliError(`${input} holds files of both servers. Name the files of one of them.`)
  if (kind === undefined) throw unclear(input)
  return sourceOf(
    kind,
    paths.filter((_, at) => texts[at] === kind),
    baseOf(input, kind),
  )
}

/** Finds out what lies at `--input`: a main file, a server's directory, or files of sites. */
export const findSource = (given: string): LegacySource => {
  const input = resolve(given)
  const found = statSync(input, { throwIfNoEntry: false })
  if (!found)
    throw new CliError(
      `${printable(input)} does not exist. Name the other server's configuration, such as /etc/apache2 or /etc/nginx.`,
    )
  if (found.isDirectory()) return fromDirectory(input)
  const kind = kindOfText(readOrFail(input))
  if (kind === null) throw unclear(input)
  return sourceOf(kind, [input], baseOf(dirname(input), kind))
}
